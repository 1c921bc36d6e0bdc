import { parseJson } from '@penstock/schema';
import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Pool } from 'pg';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { aContext, anOutgoingEvent } from '../outgoing-event.fixture';
import { dummyConnector } from './dummy-connector';
import { dummyDestination } from './dummy-destination';
import { DummyStore, KEPT_EVENTS } from './dummy-store';

let database: FreshDatabase;
let pool: Pool;
let store: DummyStore;

beforeAll(async () => {
  database = await freshDatabase();
  pool = new Pool({ connectionString: database.url });
});

beforeEach(() => {
  store = new DummyStore(pool);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const entries = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    idempotencyKey: `key-${String(from + n)}`,
    body: `{"n":${String(from + n)}}`,
  }));

const stored = async (connection: string): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM penstock_dummy.events WHERE connection = $1',
    [connection],
  );
  return Number(rows[0]?.count);
};

it('is made at first use, by many processes at once', async () => {
  const stores = Array.from({ length: 5 }, () => new DummyStore(pool));
  const lists = await Promise.all(stores.map((each) => each.list('first')));
  expect(lists).toEqual([[], [], [], [], []]);
});

it('keeps events in order, each connection its own, for every process', async () => {
  await store.keep('order', entries(0, 3));
  await store.keep('other', entries(7, 1));
  await new DummyStore(pool).keep('order', entries(3, 2));
  expect(await store.list('order')).toEqual(entries(0, 5));
  expect(await store.list('other')).toEqual(entries(7, 1));
});

it.each([
  [KEPT_EVENTS - 1, 0],
  [KEPT_EVENTS, 0],
  [KEPT_EVENTS + 1, 1],
])('of %d events lists those from %d on', async (count, from) => {
  const connection = `last-${String(count)}`;
  await store.keep(connection, entries(0, count));
  expect(await store.list(connection)).toEqual(entries(from, count - from));
});

it('stores little more than it lists', async () => {
  for (let n = 0; n < 50; n += 1) await store.keep('many', entries(n * 100, 100));
  expect(await store.list('many')).toEqual(entries(4_000, KEPT_EVENTS));
  expect(await stored('many')).toBeLessThan(2 * KEPT_EVENTS);
  await new DummyStore(pool).keep('many', entries(5_000, 1));
  expect(await stored('many')).toBe(KEPT_EVENTS);
});

it('counts calls of each connection and operation, whoever calls', async () => {
  const other = new DummyStore(pool);
  const calls = [store, other, store, other].map((each) => each.nextCall('calls', 'send'));
  expect((await Promise.all(calls)).sort()).toEqual([1, 2, 3, 4]);
  expect(await store.nextCall('calls', 'read')).toBe(1);
  expect(await store.nextCall('calls-2', 'send')).toBe(1);
});

it('forgets a connection', async () => {
  await store.keep('gone', entries(0, 1));
  await store.nextCall('gone', 'send');
  await store.drop('gone');
  expect(await store.list('gone')).toEqual([]);
  expect(await store.nextCall('gone', 'send')).toBe(1);
});

it('tries again to make its tables after it could not', async () => {
  let attempts = 0;
  const failing = Object.assign(Object.create(pool) as Pool, {
    query: (...args: unknown[]): unknown => {
      attempts += 1;
      return attempts === 1
        ? Promise.reject(new Error('no connection'))
        : Reflect.apply(pool.query, pool, args);
    },
  });
  const late = new DummyStore(failing);
  await expect(late.list('late')).rejects.toThrow('no connection');
  expect(await late.list('late')).toEqual([]);
});

describe('the destination without a URL', () => {
  const http = createGuardedHttp({ allow: [] });
  const event = (n: number) => anOutgoingEvent(n, { eventType: 'send_event_with_no_schema' });

  afterAll(() => http.close());

  const send = (connection: string, plain: object, count = 1) =>
    dummyDestination(store).send(
      Array.from({ length: count }, (_, n) => event(n)),
      dummyConnector(store).checkSettings(parseJson(JSON.stringify(plain)), 'Destination'),
      aContext(http, undefined, connection),
    );

  it('keeps the bodies that it would post', async () => {
    expect(await send('kept', {}, 3)).toMatchObject(Array(3).fill({ kind: 'delivered' }));
    const kept = await store.list('kept');
    expect(kept.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
      [0, 1, 2].map((n) => event(n).idempotencyKey),
    );
    expect(JSON.parse(kept[0]?.body ?? '')).toEqual({
      type: 'send_event_with_no_schema',
      messageId: 'message-0',
      anonymousId: 'anonymous-1',
      timestamp: '2026-03-01T09:30:00.000Z',
    });
  });

  it('takes no more than its limit', async () => {
    expect(await send('limit', {}, 501)).toHaveLength(500);
    expect(await store.list('limit')).toHaveLength(500);
  });

  it('fails the configured calls with the configured failure', async () => {
    const failures = [
      { operation: 'read', at: 1, times: 9, status: 500 },
      { operation: 'send', at: 2, times: 2, status: 503 },
      { operation: 'send', at: 5, times: 1, status: 'timeout' },
      { operation: 'send', at: 6, times: 1, status: 'throw' },
      { operation: 'send', at: 7, times: 1, status: 422 },
    ];
    const kinds: string[] = [];
    for (let call = 1; call <= 8; call += 1) {
      const [outcome] = await send('failing', { failures }).catch(() => [{ kind: 'threw' }]);
      kinds.push(String(outcome?.kind));
    }
    expect(kinds).toEqual([
      'delivered',
      'unavailable',
      'unavailable',
      'delivered',
      'unavailable',
      'threw',
      'rejected',
      'delivered',
    ]);
    expect(await store.list('failing')).toHaveLength(3);
  });
});
