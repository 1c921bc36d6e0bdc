import {
  acquired,
  attemptRecord,
  changesOf,
  OTHER_PIPELINE,
  outcomeRecord,
} from '../store/contract/changes.fixture';
import { packAttempts } from '../store/packed-attempts';
import { packOutcomes } from '../store/packed-outcomes';
import { StoreDatabase } from '../store/postgres/store-harness.fixture';
import { messageHash, messageHashPrefix } from '../routing/incoming-event';
import { TRAIL_STATEMENT } from './event-trail';
import { TraceReads } from './trace-reads';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
const WINDOW_HOURS = 24;
/** Blocks that a bounded read may touch, in several slices; a scan of all rows touches thousands. */
const MOST_BLOCKS = 300;

const reads = () => new TraceReads(database.pool, WINDOW_HOURS);

it('finds the endings and failed attempts of one event among those of its commits', async () => {
  const store = await database.open('one');
  const grant = await acquired(store);
  const own = { offset: 70 };
  await store.commit([
    changesOf(grant, 1, {
      attempts: [attemptRecord(own), attemptRecord({ offset: 71 })],
      outcomes: [outcomeRecord({ offset: 64 })],
    }),
  ]);
  await store.commit([changesOf(grant, 2, { outcomes: [outcomeRecord({ offset: 63 })] })]);
  const ended = outcomeRecord({ ...own, state: 'Parked', code: 'RetryBudgetSpent' });
  const last = attemptRecord({ ...own, attempt: 2, dueMs: 0 });
  await store.commit([
    changesOf(grant, 3, {
      outcomes: [ended, outcomeRecord({ ...own, pipeline: OTHER_PIPELINE })],
      attempts: [last],
    }),
  ]);
  const { trail } = await reads().records({ partition: 0, offset: 70 }, []);
  expect(trail).toEqual({
    outcomes: [ended, outcomeRecord({ ...own, pipeline: OTHER_PIPELINE })],
    attempts: [attemptRecord(own), last],
    isCut: false,
  });
  expect((await reads().records({ partition: 0, offset: 65 }, [])).trail.outcomes).toEqual([]);
  expect((await reads().records({ partition: 1, offset: 70 }, [])).trail.outcomes).toEqual([]);
});

it('says that it was cut where the newest commit alone is too large to be looked through', async () => {
  const store = await database.open('one');
  const grant = await acquired(store);
  const attempts = Array.from({ length: 16_000 }, (_, offset) =>
    attemptRecord({ offset, reason: `${String(offset)} `.padEnd(300, 'x') }),
  );
  await store.commit([
    changesOf(grant, 1, { attempts, outcomes: [outcomeRecord({ offset: 70 })] }),
  ]);
  const { trail } = await reads().records({ partition: 0, offset: 70 }, []);
  expect(trail).toEqual({ outcomes: [], attempts: [], isCut: true });
});

it('knows whether the event was routed, and which lanes have yet to be given it', async () => {
  const store = await database.open('one');
  const grant = await acquired(store);
  const cursor = (lane: string, orderKey: string, position: number) => ({
    lane: lane as never,
    orderKey,
    position,
    owed: new Map(),
  });
  const cursors = [
    cursor('lane00000001', '', 5),
    cursor('lane00000002', '', 6),
    cursor('lane00000003', 'mine', 5),
    cursor('lane00000004', 'other', 5),
  ];
  const unreadable = [{ offset: 5, orderKey: 'k', value: '{', reason: 'no JSON' }];
  await store.commit([{ ...changesOf(grant, 1, { cursors, unreadable }), routed: 6 }]);
  const progressOf = async (offset: number) =>
    (await reads().records({ partition: 0, offset }, ['mine'])).progress;
  expect(await progressOf(5)).toEqual({
    isRouted: true,
    behind: new Set(['lane00000001', 'lane00000003']),
    unreadable: 'no JSON',
    recordedFromMs: -Infinity,
  });
  expect(await progressOf(6)).toMatchObject({ isRouted: false, unreadable: null });
});

it('finds no event of a log before', async () => {
  const store = await database.open('one');
  const grant = await acquired(store);
  const hash = messageHash('source000000001/a', 'm-1');
  const messages = new Map([[hash, { digest: 'digest', offset: 7 }]]);
  await store.commit([changesOf(grant, 1, { messages, outcomes: [outcomeRecord({ offset: 7 })] })]);
  await database.passHourOfMessages();
  expect(await reads().firsts('m-1')).toHaveLength(1);
  await store.beginAnew(await store.log('log'), 'log', [0]);
  expect(await reads().firsts('m-1')).toEqual([]);
  expect((await reads().records({ partition: 0, offset: 7 }, [])).trail.outcomes).toEqual([]);
  expect(await store.seen([hash])).toEqual(new Map([[hash, 'digest']]));
});

it('finds the event of an order key, however many others of any workspace share its id', async () => {
  const store = await database.open('one');
  const grant = await acquired(store);
  const hashOf = (user: number): string => messageHash(`source000000001/user${user}`, 'm-1');
  const messages = new Map(
    Array.from({ length: 30 }, (_, user) => [hashOf(user), { digest: 'digest', offset: user }]),
  );
  await store.commit([changesOf(grant, 1, { messages })]);
  expect(await reads().firsts('m-1')).toHaveLength(20);
  expect(await reads().firsts('m-1', 'source000000001/user3')).toEqual([
    { hash: hashOf(3), partition: 0, offset: 3 },
  ]);
  expect(await reads().firsts('m-2', 'source000000001/user3')).toEqual([]);
});

describe('the work among many', () => {
  interface Plan {
    readonly 'QUERY PLAN': readonly {
      readonly Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number };
    }[];
  }

  const blocksOf = async (statement: string, values: unknown[]): Promise<number> => {
    const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`;
    const { rows } = await database.pool.query<Plan>(explain, values);
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0]!;
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  };

  it('does not depend on the number of commits', async () => {
    await database.open('one');
    const day = Math.floor(Date.now() / 86_400_000);
    await database.pool.query(
      `INSERT INTO penstock_router.trails (day, partition, block, epoch, sequence)
       SELECT $1, 0, n / 3, 1, n FROM generate_series(1, 200000) n`,
      [day],
    );
    for (const [table, data] of [
      ['outcomes', packOutcomes([outcomeRecord({ offset: 6_400 })])],
      ['attempts', packAttempts([attemptRecord({ offset: 6_400 })])],
    ])
      await database.pool.query(
        `INSERT INTO penstock_router.${table} (day, partition, epoch, sequence, data)
         SELECT $1, 0, 1, n, $2 FROM generate_series(1, 200000) n`,
        [day, data],
      );
    expect(await blocksOf(TRAIL_STATEMENT, [0, 100])).toBeLessThan(MOST_BLOCKS);
    const { trail } = await reads().records({ partition: 0, offset: 6_400 }, []);
    expect([trail.outcomes.length, trail.attempts.length, trail.isCut]).toEqual([3, 3, false]);
  });

  it('is cut at the number of commits of one block, the newest first', async () => {
    const store = await database.open('one');
    await acquired(store);
    const day = Math.floor(Date.now() / 86_400_000);
    await database.pool.query(
      `INSERT INTO penstock_router.trails (day, partition, block, epoch, sequence)
       SELECT $1, 0, 0, 1, n FROM generate_series(1, 1999) n`,
      [day],
    );
    const isCut = async () => (await reads().records({ partition: 0, offset: 1 }, [])).trail.isCut;
    expect(await isCut()).toBe(false);
    await database.pool.query(
      'INSERT INTO penstock_router.trails (day, partition, block, epoch, sequence) VALUES ($1, 0, 0, 1, 2000)',
      [day],
    );
    expect(await isCut()).toBe(true);
  });

  it('does not depend on the number of message ids', async () => {
    await database.open('one');
    await database.pool.query(
      `INSERT INTO penstock_router.messages (hash, digest, hour, partition, "offset")
       SELECT md5(n::text)::uuid, '', floor(extract(epoch FROM now()) / 3600)::int, 0, n
         FROM generate_series(1, 200000) n`,
    );
    const hash = messageHash('source000000001/a', 'm-1');
    await database.pool.query(
      `INSERT INTO penstock_router.messages (hash, digest, hour, partition, "offset")
       VALUES ($1, '', floor(extract(epoch FROM now()) / 3600)::int, 3, 7)`,
      [hash],
    );
    expect(await reads().firsts('m-1')).toEqual([{ hash, partition: 3, offset: 7 }]);
    expect(await reads().firsts('m-2')).toEqual([]);
    const prefix = messageHashPrefix('m-1');
    const range = ['0', 'f'].map((digit) => prefix.padEnd(32, digit));
    expect(
      await blocksOf('SELECT * FROM penstock_router.firsts($1, $2, 0, 20)', range),
    ).toBeLessThan(MOST_BLOCKS);
  });
});
