import type { Instant, JsonString, Queries } from '@penstock/contracts';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(60_000);

let installation: Installation;

const run = async (...statements: string[]): Promise<void> => {
  for (const statement of statements) await installation.pool.query(statement);
};

beforeAll(async () => {
  installation = await Installation.open();
  const url = new URL(installation.databaseUrl);
  url.search = '?schema=warehouse';
  await run('CREATE SCHEMA warehouse');
  await installation.start({ firstWarehouse: { url: url.href } });
});
afterAll(() => installation.close());
beforeEach(() =>
  run('TRUNCATE warehouse._events, warehouse._profiles, warehouse._profile_aliases'),
);

const ID = 'c0ffee00-0000-4000-8000-00000000000';

/** Events `m1` to `m<count>`, each a second after the one before; those with odd numbers of profile 1. */
const add = (count: number): Promise<void> =>
  run(`INSERT INTO warehouse._events (connection_id, anonymous_id, message_id, type, received_at, sent_at, original_timestamp, "timestamp", traits, user_id, profile_id)
       SELECT 'c', 'a', 'm' || n, 'track', '2026-03-01T09:30Z', '2026-03-01T09:30Z', '2026-03-01T09:30Z',
              '2026-03-01T09:30Z'::timestamptz + n * interval '1 second', jsonb_build_object('n', n), 'u' || n,
              CASE n % 2 WHEN 1 THEN '${ID}1'::uuid END
       FROM generate_series(1, ${String(count)}) AS n`);

const list = (input: Partial<Queries['ListEvents']['in']> = {}) =>
  installation.query('ListEvents', {
    ...{ properties: null, filter: null, order: 'timestamp', ascending: false },
    ...{ from: null, to: null, limit: 100, cursor: '', ...input },
  });

const ids = (events: readonly JsonString[]): unknown[] =>
  events.map((event) => (JSON.parse(event) as { messageId: string }).messageId);

const filterOf = (property: string, operator: string, ...values: readonly string[]) =>
  JSON.stringify({ logical: 'and', conditions: [{ property, operator, values }] });

const badCursor = {
  code: 'BadRequest',
  details: [{ path: '/cursor', message: 'must be a cursor that a list has answered' }],
};

const setMode = (mode: 'Normal' | 'Maintenance') =>
  installation.command('SetWarehouseMode', { mode, cancelIncompatibleOperations: false });

describe('a list of events', () => {
  it('has them as pipelines see them, with their profiles', async () => {
    await add(1);
    const at = '2026-03-01T09:30:00Z';
    expect((await list()).events).toEqual([
      `{"connectionId":"c","anonymousId":"a","messageId":"m1","receivedAt":"${at}","sentAt":"${at}","originalTimestamp":"${at}",` +
        `"timestamp":"2026-03-01T09:30:01Z","traits":{"n":1},"type":"track","userId":"u1","profileId":"${ID}1"}`,
    ]);
    await run('UPDATE warehouse._events SET profile_id = NULL');
    expect((await list({ properties: ['type'] })).events).toEqual(['{"type":"track"}']);
  });

  it.each([
    [{}, ['m5', 'm4', 'm3', 'm2', 'm1']],
    [{ ascending: true }, ['m1', 'm2', 'm3', 'm4', 'm5']],
    [{ order: 'userId', ascending: true }, ['m1', 'm2', 'm3', 'm4', 'm5']],
    [{ filter: filterOf('traits.n', 'is greater than', '2') }, ['m5', 'm4', 'm3']],
    [{ filter: filterOf('userId', 'is one of', 'u2', 'u4') }, ['m4', 'm2']],
    [
      { from: '2026-03-01T09:30:02.000Z' as Instant, to: '2026-03-01T09:30:04.000Z' as Instant },
      ['m3', 'm2'],
    ],
  ])('goes by %j, in pages to an empty cursor', async (input, expected) => {
    await add(5);
    const found: unknown[] = [];
    let cursor = '';
    do {
      const page = await list({ ...input, limit: 2, cursor });
      found.push(...ids(page.events));
      ({ cursor } = page);
    } while (cursor !== '');
    expect(found).toEqual(expected);
  });

  it('goes on with a cursor of the same list only', async () => {
    await add(3);
    const { cursor } = await list({ limit: 1 });
    expect(ids((await list({ cursor })).events)).toEqual(['m2', 'm1']);
    for (const other of [
      { properties: ['type'] },
      { filter: filterOf('userId', 'is', 'u1') },
      { order: 'sentAt' },
      { ascending: true },
      { from: '2026-03-01T09:30:00.000Z' as Instant },
      { to: '2026-03-01T09:30:00.000Z' as Instant },
    ])
      await expect(list({ ...other, cursor })).rejects.toMatchObject(badCursor);
  });

  it('has cursors that fit into a URL, however long its values are', async () => {
    await add(2);
    await run(
      `UPDATE warehouse._events SET message_id = repeat(E'\\x01', 254) || right(message_id, 1), user_id = repeat(E'\\x01', 1000)`,
    );
    const { cursor } = await list({ order: 'userId', limit: 1 });
    expect(cursor).toMatch(/^v2:[A-Za-z0-9_-]{12,26}:[A-Za-z0-9_-]{1,3900}$/);
    expect((await list({ order: 'userId', cursor })).events).toHaveLength(1);
  });

  it('refuses what there is not, in the order of checks', async () => {
    await expect(list({ properties: ['typo'], order: 'x' })).rejects.toMatchObject({
      details: [{ path: '/properties', message: expect.stringContaining('"type"') as string }],
    });
    await expect(list({ filter: filterOf('x', 'is', 'a') })).rejects.toMatchObject({
      message: 'filter is not valid',
      details: [{ path: '/filter/conditions/0/property' }],
    });
    await expect(list({ order: 'x', cursor: 'x' })).rejects.toMatchObject({
      code: 'OrderNotExist',
    });
    for (const order of ['context', 'properties', 'context.app'])
      await expect(list({ order })).rejects.toMatchObject({ code: 'OrderTypeNotSortable' });
    await setMode('Maintenance');
    await expect(list({ cursor: 'x' })).rejects.toMatchObject(badCursor);
    await expect(list()).rejects.toMatchObject({ code: 'MaintenanceMode' });
    await setMode('Normal');
  });
});

describe('the events of a profile', () => {
  const of = (profile: string, cursor = '', limit = 2) =>
    installation.query('ListProfileEvents', {
      ...{ profile, properties: null, from: null, to: null, limit, cursor },
    });

  it('are in pages, by an id that was merged into it too', async () => {
    await add(5);
    await run(
      `INSERT INTO warehouse._profiles (_profile_id) VALUES ('${ID}1'), ('${ID}2')`,
      `INSERT INTO warehouse._profile_aliases VALUES ('${ID}7', '${ID}1')`,
    );
    const first = await of(`${ID}7`);
    expect(ids(first.events)).toEqual(['m5', 'm3']);
    const second = await of(`${ID}7`, first.cursor);
    expect([ids(second.events), second.cursor]).toEqual([['m1'], '']);
    await expect(of(`${ID}1`, first.cursor)).rejects.toMatchObject(badCursor);
    expect(await of(`${ID}2`)).toEqual({ events: [], cursor: '' });
    await expect(of(`${ID}3`)).rejects.toMatchObject({ code: 'ProfileNotExist' });
  });
});
