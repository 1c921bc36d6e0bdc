import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionId, Instant, MetricsPeriod, PipelineId } from '@penstock/contracts';
import { Client, Pool } from 'pg';
import {
  baseKey,
  type Counted,
  countKey,
  type PartitionChanges,
  sourceKey,
  timesKey,
} from '../store/changes';
import {
  acquired,
  AUDIENCE,
  changesOf,
  LANE,
  OTHER_LANE,
  OTHER_PIPELINE,
  PIPELINE,
} from '../store/contract/changes.fixture';
import { bucketOf } from '../store/latency-buckets';
import type { LeaseGrant } from '../store/router-store';
import type { PostgresRouterStore } from '../store/postgres/postgres-router-store';
import { StoreDatabase } from '../store/postgres/store-harness.fixture';
import { conservationOf } from './conservation';
import { MetricReads } from './metric-reads';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SOURCE = 'source00000000a' as ConnectionId;
const PLACE = { workspace: 'workspace', connection: LANE };

let store: PostgresRouterStore;
let grant: LeaseGrant;
let sequence: number;
let reads: MetricReads;
/** The beginning of this day. */
let dayMs: number;

beforeEach(async () => {
  store = await database.open('one');
  grant = await acquired(store);
  sequence = 0;
  reads = new MetricReads(database.pool);
  dayMs = Math.floor((await database.nowMs()) / DAY_MS) * DAY_MS;
});

const commit = (given: Partial<PartitionChanges>): Promise<unknown> =>
  store.commit([changesOf(grant, (sequence += 1), given)]);

const period = (
  fromMs: number,
  toMs: number,
  stepSize: MetricsPeriod['stepSize'],
): MetricsPeriod => ({
  from: new Date(fromMs).toISOString() as Instant,
  to: new Date(toMs).toISOString() as Instant,
  stepSize,
});

const counts = (
  atMs: number,
  ...given: readonly [PipelineId, Counted['state'], Counted['step'], string, number][]
): PartitionChanges['counts'] =>
  new Map(
    given.map(([pipeline, state, step, code, count]) => [
      countKey(pipeline, { state, step, code }, atMs),
      count,
    ]),
  );

const rolledUp = async (rows = 1_000): Promise<void> => {
  while (await store.rollUp(rows));
};

/** Counts of six hours of the day that begins at the time: 10 events an hour, of which eight have ended. */
const commitHours = async (beginMs: number): Promise<void> => {
  for (let hour = 0; hour < 6; hour += 1) {
    const atMs = beginMs + hour * HOUR_MS + hour * MINUTE_MS;
    await commit({
      audiences: [{ id: AUDIENCE, enabled: [PIPELINE], disabled: [OTHER_PIPELINE] }],
      bases: new Map([
        [baseKey(AUDIENCE, 'New', atMs), 8],
        [baseKey(AUDIENCE, 'Duplicate', atMs), 1],
        [baseKey(AUDIENCE, 'Suppressed', atMs), 1],
      ]),
      counts: counts(
        atMs,
        [PIPELINE, 'Matched', 'Filter', '', 5],
        [PIPELINE, 'Delivered', 'Finalize', '', 2],
        [PIPELINE, 'Rejected', 'Transformation', '', 1],
      ),
      sources: new Map([
        [sourceKey(SOURCE, 'New', atMs), 8],
        [sourceKey(SOURCE, 'Duplicate', atMs), 1],
        [sourceKey(SOURCE, 'Suppressed', atMs), 1],
      ]),
      times: new Map([
        [timesKey(PIPELINE, atMs), { retries: hour, latencies: new Map([[bucketOf(100), 2]]) }],
      ]),
    });
  }
};

const AN_HOUR = {
  accepted: 10,
  opened: 5,
  passed: [9, 7, 3, 2, 2, 2],
  failed: [1, 0, 4, 1, 0, 0],
  endings: [
    { state: 'Delivered', code: '', count: 2 },
    { state: 'Filtered', code: '', count: 3 },
    { state: 'Filtered', code: 'Suppressed', count: 1 },
    { state: 'Rejected', code: '', count: 1 },
    { state: 'Duplicate', code: '', count: 1 },
  ],
};

it('tells by step of time what has happened to the events of a pipeline', async () => {
  await commitHours(dayMs - DAY_MS);
  const wanted = period(dayMs - DAY_MS, dayMs, 'hour');
  const { points, total, lag } = await reads.pipelines([PIPELINE], PLACE, wanted);
  expect(points).toHaveLength(6);
  points.forEach((point, hour) => {
    const at = new Date(dayMs - DAY_MS + hour * HOUR_MS).toISOString();
    expect(point).toMatchObject({ at, ...AN_HOUR, retries: hour });
    expect(Math.abs((point.latency?.p99 ?? 0) - 100)).toBeLessThanOrEqual(5);
  });
  expect(total).toMatchObject({ accepted: 60, passed: [54, 42, 18, 12, 12, 12], retries: 15 });
  expect(lag).toBe(0);
  const byMinute = await reads.pipelines([PIPELINE], PLACE, { ...wanted, stepSize: 'minute' });
  expect(byMinute.points).toHaveLength(6);
  expect(byMinute.points[5]?.at).toBe(
    new Date(dayMs - DAY_MS + 5 * HOUR_MS + 5 * MINUTE_MS).toISOString(),
  );
});

it('counts only what is within the period', async () => {
  await commitHours(dayMs - DAY_MS);
  const from = dayMs - DAY_MS + HOUR_MS;
  const { points } = await reads.pipelines(
    [PIPELINE],
    PLACE,
    period(from, from + 2 * HOUR_MS, 'hour'),
  );
  expect(points.map(({ at }) => Date.parse(at))).toEqual([from, from + HOUR_MS]);
});

it('adds up the pipelines of a destination, each event once for each of them', async () => {
  await commitHours(dayMs - DAY_MS);
  const wanted = period(dayMs - DAY_MS, dayMs, 'day');
  const { total } = await reads.pipelines([PIPELINE, OTHER_PIPELINE], PLACE, wanted);
  const other = await reads.pipelines([OTHER_PIPELINE], PLACE, wanted);
  expect(other.total).toMatchObject({
    accepted: 60,
    passed: [54, 54, 0, 0, 0, 0],
    failed: [6, 0, 54, 0, 0, 0],
    latency: null,
  });
  expect(total).toMatchObject({ accepted: 120, opened: 30, failed: [12, 0, 78, 6, 0, 0] });
});

it('tells the events of a source by step of time', async () => {
  await commitHours(dayMs - DAY_MS);
  const { total, points } = await reads.source(SOURCE, period(dayMs - DAY_MS, dayMs, 'hour'));
  const hour = { accepted: 10, duplicates: 1, differentBodies: 0, suppressed: 1 };
  expect(points.map(({ at: _, ...numbers }) => numbers)).toEqual(Array(6).fill(hour));
  expect(total).toEqual({ accepted: 60, duplicates: 6, differentBodies: 0, suppressed: 6 });
});

describe('after the roll-up', () => {
  const BEGIN_DAYS = [1, 4, 40, 70, 200];

  const all = async (stepSize: 'hour' | 'day', days: readonly number[]) => {
    const found: unknown[] = [];
    for (const day of days) {
      const wanted = period(dayMs - day * DAY_MS, dayMs - (day - 1) * DAY_MS, stepSize);
      for (const pipelines of [[PIPELINE], [OTHER_PIPELINE], [PIPELINE, OTHER_PIPELINE]])
        found.push(await reads.pipelines(pipelines, PLACE, wanted));
      found.push(await reads.source(SOURCE, wanted));
    }
    return found;
  };

  const state = async () => ({
    hours: await all('hour', BEGIN_DAYS.slice(0, 3)),
    days: await all('day', BEGIN_DAYS),
    conservation: [
      await conservationOf(database.pool, PIPELINE, PLACE.connection),
      await conservationOf(database.pool, OTHER_PIPELINE, PLACE.connection),
    ],
    counts: (await database.stored()).counts,
  });

  it('every number is what it was, and conserved', async () => {
    for (const day of BEGIN_DAYS) await commitHours(dayMs - day * DAY_MS);
    const before = await state();
    await rolledUp(7);
    expect(await state()).toEqual(before);
    for (const { accepted, endings, open } of before.conservation)
      expect(Object.values(endings).reduce((sum, count) => sum + count, open)).toBe(accepted);
    await commitHours(dayMs - 40 * DAY_MS);
    const late = await state();
    expect(late).not.toEqual(before);
    await rolledUp();
    expect(await state()).toEqual(late);
  });

  it('counts of an audience are those of its pipelines, so that its rows do not grow', async () => {
    for (const day of [4, 40, 200]) await commitHours(dayMs - day * DAY_MS);
    await rolledUp();
    expect(await database.rows('SELECT FROM penstock_router.bases')).toEqual([]);
    const rows = await database.rows<{ tier: number; rows: number }>(
      `SELECT least(partition, 0) AS tier, count(*)::int AS rows FROM penstock_router.counters
        WHERE pipeline = '${PIPELINE}' GROUP BY 1 ORDER BY 1`,
    );
    // Six hours of two days, and one day, of six different endings each, Matched included.
    expect(rows).toEqual([
      { tier: -3, rows: 6 },
      { tier: -2, rows: 2 * 6 * 6 },
    ]);
  });

  it('every number is what it was when its connections are cut again and again', async () => {
    for (const day of BEGIN_DAYS) await commitHours(dayMs - day * DAY_MS);
    const before = await state();
    const pool = database.newPool(1);
    const cut = new Client({ connectionString: database.url });
    await cut.connect();
    const merging = await database.open('cut', pool);
    let [cuts, isMore] = [0, true];
    while (isMore) {
      const slice = merging.rollUp(3).then(
        (more) => more,
        () => {
          cuts += 1;
          return true;
        },
      );
      if (cuts < 25) {
        await sleep(cuts % 7);
        await cut.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE '%taken%' AND pid <> pg_backend_pid()`,
        );
      }
      isMore = await slice;
    }
    await Promise.all([cut.end(), pool.end()]);
    expect(cuts).toBeGreaterThan(0);
    expect(await state()).toEqual(before);
  });

  it('leaves what a commit is changing for the next time, and loses nothing of it', async () => {
    await commitHours(dayMs - 4 * DAY_MS);
    const before = await state();
    const commits = new Client({ connectionString: database.url });
    await commits.connect();
    try {
      await commits.query('BEGIN');
      await commits.query(
        `UPDATE penstock_router.counters SET count = count + 1 WHERE state = 'Delivered'`,
      );
      await rolledUp();
      expect(await state()).toEqual(before);
      const unmerged = 'SELECT state FROM penstock_router.counters WHERE partition >= -1';
      expect(await database.rows(unmerged)).toEqual(Array(6).fill({ state: 'Delivered' }));
      await commits.query('COMMIT');
    } finally {
      await commits.end();
    }
    await rolledUp();
    const { total } = await reads.pipelines(
      [PIPELINE],
      PLACE,
      period(dayMs - 5 * DAY_MS, dayMs, 'day'),
    );
    expect(total.endings).toContainEqual({ state: 'Delivered', code: '', count: 18 });
  });
});

describe('lag', () => {
  const lag = async (connection = LANE): Promise<number> =>
    (
      await reads.pipelines(
        [PIPELINE],
        { ...PLACE, connection },
        period(dayMs, dayMs + DAY_MS, 'day'),
      )
    ).lag;

  it('is the age of the oldest event that is noted for the pipeline or its destination', async () => {
    const nowMs = await database.nowMs();
    await store.noteWaiting(
      grant,
      new Map<string, number>([
        [PIPELINE, nowMs - 20_000],
        [OTHER_PIPELINE, nowMs - 500_000],
        [OTHER_LANE, nowMs - 90_000],
      ]),
    );
    expect(await lag()).toBeGreaterThanOrEqual(20);
    expect(await lag()).toBeLessThan(60);
    expect(await lag(OTHER_LANE)).toBeGreaterThanOrEqual(90);
    await store.noteWaiting(grant, new Map());
    expect(await lag(OTHER_LANE)).toBe(0);
  });
});

describe('among 2,000 other pipelines', () => {
  interface Node {
    readonly 'Shared Hit Blocks': number;
    readonly 'Shared Read Blocks': number;
  }

  /** Blocks that the statements of an answer read. */
  const blocksOf = async (ask: (of: MetricReads) => Promise<unknown>): Promise<number> => {
    const statements: [string, unknown[]][] = [];
    const client = await database.pool.connect();
    const noted = {
      query: (text: string, values: unknown[] = []) => {
        if (text.includes('SELECT')) statements.push([text, values]);
        return client.query(text, values);
      },
      connect: () => Promise.resolve(noted),
      release: () => undefined,
    };
    await ask(new MetricReads(noted as unknown as Pool));
    let blocks = 0;
    for (const [text, values] of statements) {
      const { rows } = await client.query<{ 'QUERY PLAN': readonly { Plan: Node }[] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        values,
      );
      const { Plan: plan } = rows[0]!['QUERY PLAN'][0]!;
      blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    }
    client.release();
    return blocks;
  };

  it('an answer reads few blocks, through indexes', async () => {
    const minute = dayMs / MINUTE_MS;
    await database.pool.query(
      `INSERT INTO penstock_router.audiences
       SELECT md5(n::text)::uuid, ARRAY['pipeline' || n], ARRAY[]::text[] FROM generate_series(1, 2000) n`,
    );
    await database.pool.query(
      `INSERT INTO penstock_router.counters (pipeline, minute, state, step, code, partition, count)
       SELECT 'pipeline' || n, $1::int - m, 'Delivered', 'Finalize', '', -1, 1
         FROM generate_series(1, 2000) n, generate_series(1, 100) m`,
      [minute],
    );
    await database.pool.query(
      `INSERT INTO penstock_router.bases (audience, kind, minute, partition, count)
       SELECT md5(n::text)::uuid, 'New', $1::int - m, -1, 1
         FROM generate_series(1, 2000) n, generate_series(1, 100) m`,
      [minute],
    );
    await database.pool.query(
      `INSERT INTO penstock_router.delivery_times (pipeline, minute, partition, retries, buckets, counts)
       SELECT 'pipeline' || n, $1::int - m, -1, 0, '{7}', '{1}'
         FROM generate_series(1, 2000) n, generate_series(1, 100) m`,
      [minute],
    );
    await database.pool.query('VACUUM ANALYZE');
    const wanted = period(dayMs - 100 * MINUTE_MS, dayMs, 'minute');
    const pipeline = 'pipeline1000' as PipelineId;
    const answer = await reads.pipelines([pipeline], PLACE, wanted);
    expect(answer.total).toMatchObject({ accepted: 100, retries: 0 });
    expect(await blocksOf((of) => of.pipelines([pipeline], PLACE, wanted))).toBeLessThan(600);
  });
});
