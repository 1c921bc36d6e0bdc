import { baseKey, type Counted, countKey } from '../../changes';
import {
  acquired,
  AUDIENCE,
  changesOf,
  HASH,
  LANE,
  openDelivery,
  outcomeRecord,
  OTHER_PIPELINE,
  PIPELINE,
  storedDelivery,
} from '../../contract/changes.fixture';
import { OPTIONS, StoreDatabase } from '../store-harness.fixture';
import { PostgresRouterStore } from '../postgres-router-store';
import { packOutcomes } from '../../packed-outcomes';
import { PackedRepeats } from '../../packed-repeats';
import { COMMIT_1, HEALTHY_1, hoursOf1, LEASES_1, PREPARE_1, WEDGED_1 } from './version-1.fixture';
import { VERSION_2 } from './version-2';
import { WITHOUT_LATER } from './without-later.fixture';
import { WITHOUT_5 } from './without-version-5.fixture';

jest.setTimeout(600_000);

const database = StoreDatabase.withoutTables();
const store = (): PostgresRouterStore => new PostgresRouterStore(database.pool, OPTIONS);
/** The version of the tables that the last step makes. */
const NEWEST = 15;
const upToNewest = (from: number): number[] =>
  Array.from({ length: NEWEST - from + 1 }, (_, at) => from + at);

const versions = async (): Promise<number[]> =>
  (
    await database.rows<{ version: number }>(
      'SELECT version FROM penstock_router.migrations ORDER BY 1',
    )
  ).map(({ version }) => version);
const installed = async (rows: string): Promise<void> => {
  await database.pool.query(PREPARE_1);
  await database.pool.query(hoursOf1(Math.floor(Date.now() / 3_600_000)));
  await database.pool.query(rows);
};
const count = (state: string, code: string, number: number, pipeline = PIPELINE) => ({
  pipeline,
  state,
  code,
  count: number,
});
const MANY = { rows: 100, maxBytes: 1_000_000 };
const key = (state: Counted['state'], code = ''): string =>
  countKey(PIPELINE, { state, step: 'Filter', code }, 0);

describe('an empty database', () => {
  it('runs every step, once', async () => {
    await store().prepare();
    await store().prepare();
    expect(await versions()).toEqual(upToNewest(1));
  });

  it('runs them in one of the processes that start at the same time', async () => {
    await Promise.all([store(), store(), store(), store()].map((each) => each.prepare()));
    expect(await versions()).toEqual(upToNewest(1));
  });
});

it('leaves the tables of a newer release alone', async () => {
  await store().prepare();
  await database.rows('INSERT INTO penstock_router.migrations (version) VALUES ($1)', [NEWEST + 1]);
  await expect(store().prepare()).rejects.toThrow(
    `the router's tables are of version ${NEWEST + 1}, which a newer release has made; this one knows them up to version ${NEWEST}`,
  );
});

it('migrates a healthy installation of version 1 with its progress', async () => {
  await installed(HEALTHY_1);
  const routers = store();
  await routers.prepare();
  expect(await versions()).toEqual(upToNewest(2));
  const grants = await routers.acquire([0, 1]);
  expect(grants.map(({ epoch }) => epoch)).toEqual([7, 5]);
  expect(await routers.restore(grants[0]!)).toEqual({
    sequence: 0,
    routed: 40,
    mark: null,
    open: [],
    cursors: [],
    repeats: new PackedRepeats(),
    waiting: [
      { lane: LANE, orderKey: 'source/user', rows: 2, attempts: 3, dueMs: 1_700_000_120_000 },
      {
        lane: 'connection000b',
        orderKey: 'source/other',
        rows: 1,
        attempts: 1,
        dueMs: 1_700_000_120_000,
      },
    ],
    finishedBeyond: [
      { start: 41, end: 43 },
      { start: 50, end: 51 },
    ],
    storedBeyond: [{ offset: 40, pipeline: PIPELINE }],
  });
  expect(await routers.restore(grants[1]!)).toMatchObject({
    routed: 12,
    finishedBeyond: [],
    storedBeyond: [],
  });
  expect(await routers.waiting(0, LANE, 'source/user', null, MANY)).toMatchObject([
    { offset: 30, version: 2, attempts: 3, reason: 'refused', body: '{"event":"waits"}' },
    { offset: 40, body: '{"event":"ahead"}' },
  ]);
});

it('keeps the counts of version 1, and counts waiting deliveries as open', async () => {
  await installed(HEALTHY_1);
  const routers = store();
  await routers.prepare();
  const [grant] = await routers.acquire([0]);
  const audience = { id: AUDIENCE, enabled: [PIPELINE], disabled: [] };
  // The event at 40 is routed, and all that waits is delivered.
  await routers.commit([
    changesOf(grant!, 1, {
      routed: 41,
      audiences: [audience],
      bases: new Map([[baseKey(AUDIENCE, 'New', 0), 1]]),
    }),
  ]);
  const before = [
    count('Delivered', '', 30),
    count('Filtered', '', 9),
    count('Open', '', 2),
    count('Rejected', '404', 1),
    count('Delivered', '', 12, OTHER_PIPELINE),
    count('Filtered', 'OptedOut', 2, OTHER_PIPELINE),
    count('Open', '', 1, OTHER_PIPELINE),
  ];
  expect((await database.stored()).counts).toEqual(before);
  await routers.commit([changesOf(grant!, 2, { counts: new Map([[key('Delivered'), 2]]) })]);
  expect((await database.stored()).counts).toEqual([
    count('Delivered', '', 32),
    ...before.slice(1, 2),
    ...before.slice(3),
  ]);
});

it('removes ranges finished beyond routed when they are routed', async () => {
  await installed(HEALTHY_1);
  const routers = store();
  await routers.prepare();
  const [grant] = await routers.acquire([0]);
  const beyond = async () => {
    const { finishedBeyond, storedBeyond } = await routers.restore(grant!);
    return { finishedBeyond, storedBeyond };
  };
  await routers.commit([changesOf(grant!, 1, { routed: 42 })]);
  expect(await beyond()).toEqual({
    finishedBeyond: [
      { start: 42, end: 43 },
      { start: 50, end: 51 },
    ],
    storedBeyond: [],
  });
  await routers.commit([changesOf(grant!, 2, { routed: 51 })]);
  expect(await beyond()).toEqual({ finishedBeyond: [], storedBeyond: [] });
  expect(await database.rows('SELECT FROM penstock_router.beyond')).toEqual([]);
});

it('does not open a delivery again whose row was removed', async () => {
  await installed(HEALTHY_1);
  const routers = store();
  await routers.prepare();
  const [grant] = await routers.acquire([0]);
  const ending = { state: 'Delivered', step: 'Finalize', code: '', reason: '' } as const;
  await routers.commit([
    changesOf(grant!, 1, { routed: 40, settled: [{ offset: 40, pipeline: PIPELINE, ending }] }),
  ]);
  expect(await routers.restore(grant!)).toMatchObject({
    storedBeyond: [{ offset: 40, pipeline: PIPELINE }],
    waiting: [{ rows: 1 }, { rows: 1 }],
  });
});

describe('a blocked installation of version 1', () => {
  it('fails with version 1 at every commit', async () => {
    await installed(WEDGED_1);
    await database.rows(COMMIT_1.move, [[0], [5], [8], ['{}']]);
    await expect(database.rows(COMMIT_1.store, [0, 7, PIPELINE])).rejects.toThrow(
      'duplicate key value violates unique constraint "deliveries_pkey"',
    );
  });

  it('is unblocked: the delivery with a row is not opened again, the other one is', async () => {
    await installed(WEDGED_1);
    const routers = store();
    await routers.prepare();
    expect(await routers.acquire([0])).toEqual([]);
    await database.pass(66_000);
    const grant = await acquired(routers);
    expect(grant.epoch).toBe(7);
    const { routed, storedBeyond, finishedBeyond, waiting } = await routers.restore(grant);
    expect({ routed, storedBeyond, finishedBeyond, waiting }).toEqual({
      routed: 7,
      storedBeyond: [{ offset: 7, pipeline: PIPELINE }],
      finishedBeyond: [],
      waiting: [],
    });
    const other = { offset: 7, pipeline: OTHER_PIPELINE };
    const matched = countKey(OTHER_PIPELINE, { state: 'Matched', step: 'Filter', code: '' }, 0);
    const rejected = countKey(
      OTHER_PIPELINE,
      { state: 'Rejected', step: 'Finalize', code: '404' },
      0,
    );
    await routers.commit([
      changesOf(grant, 1, {
        routed: 8,
        open: [openDelivery(other)],
        audiences: [{ id: AUDIENCE, enabled: [PIPELINE, OTHER_PIPELINE], disabled: [] }],
        bases: new Map([[baseKey(AUDIENCE, 'New', 0), 1]]),
        counts: new Map([[matched, 1]]),
        messages: new Map([[HASH, { digest: 'digest', offset: 0 }]]),
      }),
    ]);
    await routers.commit([
      changesOf(grant, 2, {
        routed: 8,
        closed: [other],
        stored: [storedDelivery({ ...other, state: 'Rejected', step: 'Finalize', code: '404' })],
        counts: new Map([[rejected, 1]]),
      }),
    ]);
    expect(await routers.restore(grant)).toMatchObject({ routed: 8, open: [], storedBeyond: [] });
    const { rows, counts } = await database.stored();
    expect(rows.map(({ pipeline, body }) => [pipeline, body])).toEqual([
      [PIPELINE, '{"event":"half"}'],
      [OTHER_PIPELINE, '{"event":"half"}'],
    ]);
    expect(counts).toEqual([
      count('Delivered', '', 7),
      count('Rejected', '404', 1),
      count('Delivered', '', 7, OTHER_PIPELINE),
      count('Rejected', '404', 1, OTHER_PIPELINE),
    ]);
  });
});

it('returns all outcomes that version 2 has stored, from the oldest on', async () => {
  await database.pool.query(PREPARE_1);
  await database.pool.query(
    `${VERSION_2};
     CREATE TABLE penstock_router.migrations (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
     INSERT INTO penstock_router.migrations (version) VALUES (2);
     CREATE TABLE penstock_router.outcomes_20000 PARTITION OF penstock_router.outcomes FOR VALUES FROM (20000) TO (20001);
     CREATE TABLE penstock_router.outcomes_20001 PARTITION OF penstock_router.outcomes FOR VALUES FROM (20001) TO (20002);`,
  );
  for (const [day, sequence] of [
    [20_001, 12],
    [20_000, 4],
    [20_000, 11],
  ])
    await database.rows('INSERT INTO penstock_router.outcomes VALUES ($1, 0, 1, $2, $3)', [
      day,
      sequence,
      packOutcomes([outcomeRecord({ offset: sequence! })]),
    ]);
  await store().prepare();
  expect(await versions()).toEqual(upToNewest(2));
  const { commits } = await store().unrelayed([0], MANY);
  expect(commits.map(({ sequence, day }) => [sequence, day])).toEqual([
    [4, 20_000],
    [11, 20_000],
    [12, 20_001],
  ]);
});

it('waits for a commit of version 1 that is under way, and fails those after it', async () => {
  await installed(HEALTHY_1);
  const old = await database.pool.connect();
  await old.query('BEGIN');
  await old.query(COMMIT_1.move, [[0], [5], [41], ['{}']]);
  const preparing = store().prepare();
  await old.query(COMMIT_1.store, [0, 45, OTHER_PIPELINE]);
  await old.query('COMMIT');
  old.release();
  await preparing;
  await expect(database.rows(COMMIT_1.move, [[0], [5], [42], ['{}']])).rejects.toThrow(
    'does not exist',
  );
  for (const lease of LEASES_1)
    await expect(database.rows(lease)).rejects.toThrow('does not exist');
  await expect(database.rows(COMMIT_1.store, [0, 46, PIPELINE])).rejects.toThrow('does not exist');
  const [grant] = await store().acquire([0]);
  expect(await store().restore(grant!)).toMatchObject({
    routed: 41,
    storedBeyond: [
      { offset: 41, pipeline: OTHER_PIPELINE },
      { offset: 45, pipeline: OTHER_PIPELINE },
    ],
  });
});

it('has no counts of deliveries left to keys of version 2, and lets no router of version 2 write cursors', async () => {
  const moved = `INSERT INTO penstock_router.cursors (partition, lane, order_key, position) VALUES (0, $1, 'key', $2)
    ON CONFLICT (partition, lane, order_key) DO UPDATE SET position = excluded.position`;
  await store().prepare();
  await database.pool.query(`${WITHOUT_LATER}${WITHOUT_5}`);
  await database.rows('ALTER TABLE penstock_router.cursors DROP COLUMN owed');
  await database.rows('DROP TABLE penstock_router.relayed');
  await database.rows('DELETE FROM penstock_router.migrations WHERE version >= 3');
  await database.rows(moved, [LANE, 5]);
  const routers = store();
  await routers.prepare();
  const grant = await acquired(routers);
  const cursors = [{ lane: LANE, orderKey: 'key', position: 5, owed: new Map() }];
  expect(await routers.restore(grant)).toMatchObject({ cursors });
  await expect(database.rows(moved, [LANE, 6])).rejects.toThrow('null value in column "owed"');
});

it('keeps the audiences that are there for two days, for routers that remember them', async () => {
  await store().prepare();
  await database.rows('ALTER TABLE penstock_router.audiences DROP COLUMN written');
  await database.rows('DELETE FROM penstock_router.migrations WHERE version >= 15');
  await database.rows(
    `INSERT INTO penstock_router.audiences (id, enabled, disabled) VALUES ($1, '{a}', '{b}')`,
    [AUDIENCE],
  );
  const routers = store();
  await routers.prepare();
  await database.pass(1.9 * 86_400_000);
  await routers.sweep();
  expect((await database.stored()).audiences).toEqual([AUDIENCE]);
  await database.pass(0.2 * 86_400_000);
  await routers.sweep();
  expect((await database.stored()).audiences).toEqual([]);
});

it('searches the hourly tables of version 1 for message ids until their window has passed', async () => {
  await installed(HEALTHY_1);
  const hour = Math.floor(Date.now() / 3_600_000);
  await database.rows(
    'INSERT INTO penstock_router.messages (hash, digest, hour) VALUES ($1, $2, $3)',
    [HASH, 'of version 1', hour],
  );
  const routers = store();
  await routers.prepare();
  expect(await routers.seen([HASH])).toEqual(new Map([[HASH, 'of version 1']]));
  await routers.sweep();
  expect(await routers.seen([HASH])).toEqual(new Map([[HASH, 'of version 1']]));
  const grant = await acquired(routers);
  const another = HASH.replace('aa', 'bb');
  await routers.commit([
    changesOf(grant, 1, { messages: new Map([[another, { digest: 'new', offset: 0 }]]) }),
  ]);
  expect(await routers.seen([HASH, another])).toHaveProperty('size', 2);
});
