import type { ConnectionId, DeliveriesWanted, PipelineId, WorkspaceId } from '@penstock/contracts';
import type { PartitionChanges, StoredDelivery } from '../store/changes';
import { baseKey, type Counted, countKey } from '../store/changes';
import {
  acquired,
  AUDIENCE,
  changesOf,
  LANE,
  OTHER_LANE,
  OTHER_PIPELINE,
  PIPELINE,
  storedDelivery,
} from '../store/contract/changes.fixture';
import type { LeaseGrant } from '../store/router-store';
import type { PostgresRouterStore } from '../store/postgres/postgres-router-store';
import { StoreDatabase } from '../store/postgres/store-harness.fixture';
import { WORKSPACE } from '../testing/pipelines.fixture';
import { listStatement } from './deliveries-statement';
import { deliveryId } from './delivery-id';
import { Accesses } from './accesses';
import { DeliveryReads } from './delivery-reads';
import { listCursor, listPlace } from './list-cursor';
import { bodyOf, receivedAt, SOURCE } from './stored-events.fixture';
import { WholeDeliveries } from './whole-deliveries';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
const ANOTHER = 'workspace000002' as WorkspaceId;

let store: PostgresRouterStore;
let grant: LeaseGrant;
let sequence: number;
let reads: DeliveryReads;

beforeEach(async () => {
  store = await database.open('one');
  grant = await acquired(store);
  sequence = 0;
  reads = new DeliveryReads(database.pool);
});

const commit = async (changes: Partial<PartitionChanges>): Promise<void> => {
  sequence += 1;
  await store.commit([changesOf(grant, sequence, changes)]);
};

const row = (offset: number, more: Partial<StoredDelivery> = {}): StoredDelivery =>
  storedDelivery({ offset, body: bodyOf(offset), ...more });

const ended = (
  offset: number,
  state: 'Rejected' | 'Parked',
  code: string,
  more: Partial<StoredDelivery> = {},
): StoredDelivery => row(offset, { state, code, step: 'Finalize', ...more });

const page = async (
  wanted: DeliveriesWanted = {},
  { limit = 100, cursor = '', workspace = WORKSPACE } = {},
) => {
  const found = await reads.list(workspace, wanted, { limit, after: listPlace(cursor) });
  return {
    messages: found.map(({ view }) => view.messageId),
    views: found.map(({ view }) => view),
    cursor: found.length === 0 ? '' : listCursor(found.at(-1)!.place),
  };
};

it('lists what waits and what has not succeeded, with where it comes from', async () => {
  await commit({ stored: [row(1), ended(2, 'Rejected', '400', { reason: 'answered 400' })] });
  const { views } = await page();
  const of = (offset: number) => ({
    id: deliveryId({ partition: 0, offset, pipeline: PIPELINE }),
    pipeline: PIPELINE,
    pipelineVersion: 1,
    connection: LANE,
    source: SOURCE,
    messageId: `m${offset}`,
    attempts: 1,
    receivedAt: receivedAt(offset),
  });
  expect(views).toEqual([
    {
      ...of(2),
      state: 'Rejected',
      step: 'Finalize',
      code: '400',
      reason: 'answered 400',
      endedAt: expect.stringMatching(/^20.*Z$/) as string,
      nextAttemptAt: null,
    },
    {
      ...of(1),
      state: 'Waiting',
      step: null,
      code: '',
      reason: 'refused',
      endedAt: null,
      nextAttemptAt: '2023-11-14T22:13:20.123Z',
    },
  ]);
});

it('lists what was stored of an event that cannot be read, for nobody, and fails no commit', async () => {
  for (const [offset, body] of [
    '',
    'no head',
    '[1]\n{}',
    '{"a":\n',
    '[1,"w"]\n{"receivedAt":"\\u0000"}',
  ].entries())
    await commit({ stored: [row(offset, { body })] });
  expect((await page()).messages).toEqual([]);
  expect(await database.rows('SELECT FROM penstock_router.deliveries')).toHaveLength(5);
});

describe('filters', () => {
  beforeEach(async () => {
    await commit({
      stored: [
        row(1),
        ended(2, 'Rejected', '400'),
        ended(3, 'Rejected', '404'),
        ended(4, 'Parked', 'RetryBudgetSpent'),
        ended(5, 'Rejected', '400', { pipeline: OTHER_PIPELINE, lane: OTHER_LANE }),
        ended(6, 'Rejected', '400', { body: bodyOf(6, ANOTHER) }),
      ],
    });
  });

  it.each<[DeliveriesWanted, number[]]>([
    [{}, [5, 4, 3, 2, 1]],
    [{ pipeline: PIPELINE }, [4, 3, 2, 1]],
    [{ pipeline: OTHER_PIPELINE }, [5]],
    [{ pipeline: 'pipeline of nobody' }, []],
    [{ connection: LANE }, [4, 3, 2, 1]],
    [{ connection: OTHER_LANE }, [5]],
    [{ pipeline: PIPELINE, connection: LANE }, [4, 3, 2, 1]],
    [{ pipeline: PIPELINE, connection: OTHER_LANE }, []],
    [{ state: 'Rejected' }, [5, 3, 2]],
    [{ state: 'Waiting' }, [1]],
    [{ state: 'Parked' }, [4]],
    [{ code: '400' }, [5, 2]],
    [{ code: 'RetryBudgetSpent', state: 'Parked' }, [4]],
    [{ code: 'RetryBudgetSpent', state: 'Rejected' }, []],
    [{ state: 'Rejected', pipeline: PIPELINE }, [3, 2]],
    [{ code: '400', connection: LANE }, [2]],
    [{ from: receivedAt(3) as never }, [5, 4, 3]],
    [{ to: receivedAt(3) as never }, [2, 1]],
    [{ from: receivedAt(2) as never, to: receivedAt(5) as never, state: 'Rejected' }, [3, 2]],
  ])('%j leave %j, in the list and in the numbers', async (wanted, offsets) => {
    expect((await page(wanted)).messages).toEqual(offsets.map((offset) => `m${offset}`));
    const { counts, pipelines, isCut } = await reads.counts(WORKSPACE, wanted);
    const sum = (of: readonly { count: number }[]) => of.reduce((all, { count }) => all + count, 0);
    expect([sum(counts), sum(pipelines), isCut]).toEqual([offsets.length, offsets.length, false]);
  });

  it('count by state and code, and by pipeline, the largest number first', async () => {
    expect(await reads.counts(WORKSPACE, { state: 'Rejected' })).toEqual({
      counts: [
        { state: 'Rejected', code: '400', count: 2 },
        { state: 'Rejected', code: '404', count: 1 },
      ],
      pipelines: [
        { pipeline: PIPELINE, state: 'Rejected', code: '400', count: 1 },
        { pipeline: PIPELINE, state: 'Rejected', code: '404', count: 1 },
        { pipeline: OTHER_PIPELINE, state: 'Rejected', code: '400', count: 1 },
      ],
      isCut: false,
    });
  });

  it('show a workspace nothing of another', async () => {
    expect((await page({}, { workspace: ANOTHER })).messages).toEqual(['m6']);
    expect((await page({ pipeline: OTHER_PIPELINE }, { workspace: ANOTHER })).messages).toEqual([]);
  });
});

it('goes through pages without leaving out or repeating one, while others come, end and go', async () => {
  const lanes = (offset: number) => (offset % 3 === 0 ? '400' : `4${String(offset % 3)}9`);
  const all = Array.from({ length: 40 }, (_, offset) =>
    offset % 2 === 0
      ? row(offset)
      : ended(offset, 'Rejected', lanes(offset), { body: bodyOf(Math.floor(offset / 4) * 4) }),
  );
  await commit({ stored: all });
  const seen: string[] = [];
  let cursor = '';
  for (let pages = 0; ; pages += 1) {
    const found = await page({}, { limit: 7, cursor });
    seen.push(...found.views.map(({ id }) => id));
    if (found.views.length < 7) break;
    cursor = found.cursor;
    const last = 38 - 2 * pages;
    const ending = {
      state: 'Parked',
      step: 'Finalize',
      code: 'RetryBudgetSpent',
      reason: '',
    } as const;
    await commit({
      stored: [row(100 + pages)],
      settled: [{ offset: last, pipeline: PIPELINE, ending }],
      postponed: [{ offset: 0, pipeline: PIPELINE, attempts: 9, dueMs: 1, reason: 'again' }],
    });
  }
  expect(new Set(seen).size).toBe(seen.length);
  const ids = all.map(({ offset }) => deliveryId({ partition: 0, offset, pipeline: PIPELINE }));
  expect([...seen].sort()).toEqual(ids.sort());
});

it('keeps the rows of a pipeline until their time has passed', async () => {
  await commit({ stored: [ended(1, 'Rejected', '400'), ended(2, 'Parked', 'RetryBudgetSpent')] });
  await database.pass(13.9 * 86_400_000);
  await store.sweep();
  expect((await page()).messages).toEqual(['m2', 'm1']);
  await database.pass(0.2 * 86_400_000);
  await store.sweep();
  expect((await page()).messages).toEqual([]);
});

it('keeps accesses to values for a year', async () => {
  await commit({ stored: [ended(1, 'Rejected', '400')] });
  const place = { partition: 0, offset: 1, pipeline: PIPELINE };
  const access = { actor: 'key-1', requestId: 'request-1' };
  expect(await new WholeDeliveries(database.pool).find(ANOTHER, place, access)).toBeUndefined();
  expect(await new WholeDeliveries(database.pool).find(WORKSPACE, place, access)).toMatchObject({
    detail: 'refused',
    view: { messageId: 'm1' },
  });
  const kept = async () => (await new Accesses(database.pool).list(WORKSPACE, 9, undefined)).length;
  await database.pass(364 * 86_400_000);
  await store.sweep();
  expect(await kept()).toBe(1);
  await database.pass(2 * 86_400_000);
  await store.sweep();
  expect(await kept()).toBe(0);
});

describe('the work of a page among many deliveries', () => {
  const MANY = 60_000;
  const LIMIT = 50;
  /** A few for each row of the page and its candidates; an index of all rows has more. */
  const MOST_BLOCKS = 1_000;
  const RARE_PIPELINE = 'pipeline00000r';
  const RARE_LANE = 'connection000r';

  /** Rows that scans have returned, and the kinds of nodes. */
  const planOf = async (wanted: DeliveriesWanted, cursor: string) => {
    interface Node {
      readonly 'Node Type': string;
      readonly 'Actual Rows': number;
      readonly 'Actual Loops': number;
      readonly 'Rows Removed by Filter'?: number;
      readonly 'Shared Hit Blocks': number;
      readonly 'Shared Read Blocks': number;
      readonly Plans?: readonly Node[];
    }
    const statement = listStatement(WORKSPACE, wanted, { limit: LIMIT, after: listPlace(cursor) });
    const { rows } = await database.pool.query<{ 'QUERY PLAN': readonly { Plan: Node }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.text}`,
      [...statement.values],
    );
    const nodes: Node[] = [];
    const collect = (node: Node): void => {
      nodes.push(node);
      node.Plans?.forEach(collect);
    };
    collect(rows[0]!['QUERY PLAN'][0]!.Plan);
    const scans = nodes.filter((node) =>
      /Index (Only )?Scan|Seq Scan|Bitmap/.test(node['Node Type']),
    );
    const root = nodes[0]!;
    return {
      blocks: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
      kinds: new Set(scans.map((node) => node['Node Type'])),
      rows: scans.reduce(
        (sum, node) =>
          sum +
          (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
        0,
      ),
    };
  };

  beforeEach(async () => {
    // Three codes, two pipelines and lanes, and rare ones among them.
    await database.pool.query(
      `INSERT INTO penstock_router.bodies SELECT 0, n, $1 FROM generate_series(1, ${MANY}) n`,
      [bodyOf(1)],
    );
    await database.pool.query(
      `INSERT INTO penstock_router.deliveries
         (partition, "offset", pipeline, version, lane, order_key, state, attempts, due, step, code, reason)
       SELECT 0, n, CASE WHEN n % 20000 = 1 THEN $5 WHEN n % 2 = 0 THEN $1 ELSE $2 END, 1,
              CASE WHEN n % 20000 = 1 THEN $6 WHEN n % 2 = 0 THEN $3 ELSE $4 END, 'k',
              CASE WHEN n % 10000 = 0 THEN 'Parked' ELSE 'Rejected' END, 1, now(), 'Finalize',
              CASE WHEN n % 10000 = 0 THEN 'RetryBudgetSpent' ELSE (400 + n % 3)::text END, ''
         FROM generate_series(1, ${MANY}) n`,
      [PIPELINE, OTHER_PIPELINE, LANE, OTHER_LANE, RARE_PIPELINE, RARE_LANE],
    );
    await database.pool.query(
      `UPDATE penstock_router.deliveries SET received = to_timestamp(1700000000 + "offset")`,
    );
  });

  const WANTED: DeliveriesWanted[] = [
    {},
    { pipeline: PIPELINE },
    { pipeline: RARE_PIPELINE },
    { connection: LANE },
    { connection: RARE_LANE },
    { state: 'Parked' },
    { code: 'RetryBudgetSpent' },
    { code: '401', pipeline: OTHER_PIPELINE },
    { code: 'none' },
    { state: 'Waiting' },
    { pipeline: PIPELINE, connection: OTHER_LANE },
    { from: '2023-11-15T00:00:00.000Z' as never, to: '2023-11-15T02:00:00.000Z' as never },
  ];

  it.each(['with', 'without'])('is bounded %s statistics', async (statistics) => {
    if (statistics === 'with') await database.pool.query('ANALYZE penstock_router.deliveries');
    const place = { partition: 0, offset: 15_000, pipeline: PIPELINE };
    const middle = listCursor({ ...place, receivedMs: 1_700_015_000_000 });
    for (const wanted of WANTED)
      for (const cursor of ['', middle]) {
        const { kinds, rows, blocks } = await planOf(wanted, cursor);
        expect({
          wanted,
          cursor,
          kinds: [...kinds].filter((kind) => /Seq|Bitmap/.test(kind)),
        }).toEqual({ wanted, cursor, kinds: [] });
        // At most a page of each of four codes, the page itself, and one row for each code that is found.
        const isFew = rows <= 6 * LIMIT && blocks <= MOST_BLOCKS;
        expect({ wanted, cursor, read: isFew ? 'few' : { rows, blocks } }).toEqual({
          wanted,
          cursor,
          read: 'few',
        });
      }
  });
});

describe('conservation', () => {
  const DESTINATION = 'destination0001' as ConnectionId;
  const key = (
    pipeline: PipelineId,
    state: Counted['state'],
    code = '',
    step: Counted['step'] = 'Finalize',
  ): string => countKey(pipeline, { state, step, code }, 0);

  it('is what the view of all counts says', async () => {
    await commit({
      audiences: [{ id: AUDIENCE, enabled: [PIPELINE], disabled: [OTHER_PIPELINE] }],
      bases: new Map([
        [baseKey(AUDIENCE, 'New', 0), 100],
        [baseKey(AUDIENCE, 'Duplicate', 0), 4],
        [baseKey(AUDIENCE, 'DifferentBody', 60_000), 3],
        [baseKey(AUDIENCE, 'Suppressed', 0), 2],
      ]),
      counts: new Map([
        [key(PIPELINE, 'Matched', '', 'Filter'), 50],
        [key(PIPELINE, 'Filtered', 'OptedOut', 'Filter'), 7],
        [key(PIPELINE, 'Delivered'), 30],
        [key(PIPELINE, 'Rejected', '404'), 6],
        [key(PIPELINE, 'Parked', 'Deleted'), 2],
        [key(PIPELINE, 'Filtered', 'Suppressed', 'Filter'), 1],
      ]),
    });
    // Of version 1: an ending without, and a match with no ending.
    await database.rows(
      `INSERT INTO penstock_router.counters (pipeline, minute, state, step, code, partition, count, plain)
       VALUES ($1, 1, 'Delivered', 'Finalize', '', 0, 20, true), ($1, 1, 'Matched', 'Filter', '', 0, 5, true),
              ($1, 1, 'Filtered', 'Filter', 'OptedOut', 0, 3, true)`,
      [PIPELINE],
    );
    const ofAll = await database.rows<{ pipeline: string; state: string; count: number }>(
      'SELECT pipeline, state, sum(count)::int AS count FROM penstock_router.pipeline_counts GROUP BY 1, 2',
    );
    for (const pipeline of [PIPELINE, OTHER_PIPELINE]) {
      const { accepted, endings, open } = await reads.conservation(pipeline, DESTINATION);
      const counted = ofAll.filter((count) => count.pipeline === pipeline);
      const found = { ...endings, Open: open };
      expect(
        Object.entries(found)
          .filter(([, count]) => count !== 0)
          .sort(),
      ).toEqual(counted.map(({ state, count }) => [state, count]).sort());
      expect(accepted).toBe(counted.reduce((sum, { count }) => sum + count, 0));
    }
    expect(await reads.conservation(PIPELINE, DESTINATION)).toEqual({
      accepted: 127,
      endings: { Delivered: 50, Filtered: 51, Rejected: 6, Parked: 2, Duplicate: 7 },
      ...{ open: 11, behind: 0 },
    });
  });

  it('is all zero for a pipeline without events', async () => {
    expect(await reads.conservation('pipeline00000z' as PipelineId, DESTINATION)).toEqual({
      accepted: 0,
      endings: { Delivered: 0, Filtered: 0, Rejected: 0, Parked: 0, Duplicate: 0 },
      ...{ open: 0, behind: 0 },
    });
  });
});
