import { ADVISORY_LOCK, type PipelineId, type WorkspaceId } from '@penstock/contracts';
import fc from 'fast-check';
import { LeaseLost } from '../engine/lease-lost';
import { aRun, LEASE_MS, StoreDatabase, WORKSPACE } from '../store/store.fixture';
import { until } from '@penstock/test-servers';
import { PostgresRemovalStore } from './postgres-removal-store';

jest.setTimeout(600_000);

const RUNS = 20;
/** The long form tries new values. */
const SEED = process.env['PENSTOCK_TEST_LONG'] === '1' ? {} : { seed: 1 };
const OTHER = 'workspace0000002' as WorkspaceId;
const PIPELINE = 'pipeline00000001' as PipelineId;

const database = StoreDatabase.forEachTest();
let runs: Awaited<ReturnType<StoreDatabase['open']>>;
let store: PostgresRemovalStore;

beforeEach(async () => {
  runs = await database.open();
  await runs.prepare();
  store = new PostgresRemovalStore(database.pool, { leaseMs: LEASE_MS });
});

const deletedOf = (pipeline: string, workspace = WORKSPACE) => ({
  pipeline: pipeline as PipelineId,
  workspace,
});

const noted = (version: number, properties: readonly string[], pipeline = PIPELINE) => ({
  ...{ workspace: WORKSPACE, pipeline, version, properties },
});

const claimed = async (workspaces = [WORKSPACE], worker = 'one') => {
  const claim = await store.claim(worker, workspaces);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
};

/** Everything that was postponed, or is to be done later, is due; what is claimed has lapsed. */
const later = () =>
  database.pool.query(
    `UPDATE penstock_runs.removals
        SET due = least(due, now() - interval '1 second'), lease_until = lease_until - interval '1 day'`,
  );

const rowOf = async (pipeline = PIPELINE) => {
  const { rows } = await database.pool.query<{
    readonly lost: readonly string[];
    readonly owed: boolean;
    readonly pass: number;
    readonly version: number;
  }>('SELECT lost, owed, pass, version FROM penstock_runs.removals WHERE pipeline = $1', [
    pipeline,
  ]);
  return rows[0];
};

it('owes what any version seen before has written and the newest does not', async () => {
  const properties = fc.subarray(['a', 'b', 'c']);
  const step = fc.record({ version: fc.integer({ min: 1, max: 6 }), properties });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      await database.pool.query('DELETE FROM penstock_runs.removals');
      const seen: typeof steps = [];
      for (const each of steps) {
        await store.note([noted(each.version, each.properties)]);
        if (each.version > (seen.at(-1)?.version ?? 0)) seen.push(each);
        const now = seen.at(-1);
        const before = new Set(seen.flatMap((one) => one.properties));
        const lost = [...before].filter((path) => now?.properties.includes(path) === false);
        const row = await rowOf();
        expect([...(row?.lost ?? [])].sort()).toEqual(lost.sort());
        expect(row).toMatchObject({ version: now?.version, owed: lost.length > 0 });
      }
    }),
    { numRuns: RUNS, endOnFailure: true, ...SEED },
  );
});

it('owes nothing lost before once its last pass has ended', async () => {
  await store.note([noted(1, ['a', 'b'])]);
  await store.note([noted(2, ['b'])]);
  for (let pass = 1; pass <= 7; pass += 1) {
    await later();
    const claim = await claimed();
    expect(claim).toMatchObject({ deleted: false, version: 2, lost: ['a'] });
    await store.end(claim);
  }
  expect(await rowOf()).toMatchObject({ lost: [], owed: false, pass: 7 });
});

it('keeps no more lost properties than profiles may have, the newest ones', async () => {
  const names = (from: number) => Array.from({ length: 4_000 }, (_, n) => `p${String(from + n)}`);
  await store.note([noted(1, names(0))]);
  await store.note([noted(2, names(4_000))]);
  await store.note([noted(3, [])]);
  const lost = new Set((await rowOf())?.lost);
  expect(lost.size).toBe(5_000);
  expect(names(4_000).every((name) => lost.has(name))).toBe(true);
});

it('tries what was postponed at once when a newer version is taken over', async () => {
  await store.note([noted(1, ['a', 'b'])]);
  await store.note([noted(2, ['b'])]);
  await store.postpone(await claimed(), 3_600_000, 'it is away');
  expect(await store.due()).toEqual([]);
  await store.note([noted(3, ['b', 'c'])]);
  expect(await claimed()).toMatchObject({ version: 3, lost: ['a'], failures: 0 });
});

it('keeps a clearing that has changed something until a resolution was asked for', async () => {
  await store.note([noted(1, ['a'])]);
  await store.note([noted(2, [])]);
  await store.change(await claimed());
  await store.note([noted(3, ['a'])]);
  await later();
  const claim = await claimed();
  expect(claim).toMatchObject({ hasChanged: true, lost: [] });
  await store.end(claim);
  expect(await rowOf()).toMatchObject({ owed: false });
});

it('begins anew with a deletion, whoever tells of it first', async () => {
  for (const tell of ['accept', 'repeat'] as const) {
    await database.pool.query('DELETE FROM penstock_runs.removals');
    await store.note([noted(1, ['a'])]);
    await store.note([noted(2, [])]);
    await store.end(await claimed());
    await later();
    const clearing = await claimed();
    if (tell === 'repeat') await store.repeat(deletedOf(PIPELINE));
    await store.accept([deletedOf(PIPELINE)]);
    await expect(store.end(clearing)).rejects.toThrow(LeaseLost);
    expect(await rowOf()).toMatchObject({ owed: true, pass: 0, lost: [] });
    expect(await claimed()).toMatchObject({ deleted: true });
  }
});

it('does a removal that has ended once more where something is found', async () => {
  await store.accept([deletedOf(PIPELINE)]);
  for (let pass = 1; pass <= 7; pass += 1) {
    await later();
    await store.end(await claimed());
  }
  await store.accept([deletedOf(PIPELINE)]);
  expect(await store.due()).toEqual([]);
  await store.repeat(deletedOf(PIPELINE));
  await store.end(await claimed());
  expect(await rowOf()).toMatchObject({ owed: false, pass: 8 });
});

it('gives one removal of a workspace at a time, however many ask at once', async () => {
  await store.accept(['p1', 'p2', 'p3'].map((id) => deletedOf(id)));
  await store.accept([deletedOf('other', OTHER)]);
  expect([...(await store.due())].sort()).toEqual([WORKSPACE, OTHER]);
  const asked = Array.from({ length: 8 }, (_, n) => store.claim(String(n), [WORKSPACE, OTHER]));
  const claims = (await Promise.all(asked)).filter((claim) => claim !== undefined);
  expect(claims.map(({ workspace }) => workspace).sort()).toEqual([WORKSPACE, OTHER]);
  expect(await store.due()).toEqual([]);
  await store.release(claims[0]!);
  expect(await store.due()).toEqual([claims[0]!.workspace]);
});

it('gives none while another worker is just being given one of the workspace', async () => {
  await store.accept(['p1', 'p2'].map((id) => deletedOf(id)));
  const other = await database.pool.connect();
  await other.query('BEGIN');
  await other.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK.claimRemovals]);
  await other.query(
    `UPDATE penstock_runs.removals SET lease_until = now() + interval '1 hour' WHERE pipeline = 'p1'`,
  );
  let isSettled = false;
  const claim = store.claim('one', [WORKSPACE]).finally(() => (isSettled = true));
  await until(async () => {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
        WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`,
    );
    return isSettled || rows.length > 0;
  });
  await other.query('COMMIT');
  other.release();
  expect(await claim).toBeUndefined();
});

it('looks at the removals that wait for runs in turns, and at a few of them at a time', async () => {
  const ids = Array.from({ length: 21 }, (_, n) => `p${String(n).padStart(2, '0')}`);
  await store.accept(ids.map((id) => deletedOf(id)));
  for (const id of ids.slice(0, 20)) await runs.accept([aRun({ pipeline: id as PipelineId })]);
  expect(await store.claim('one', [WORKSPACE])).toBeUndefined();
  expect(await claimed()).toMatchObject({ pipeline: 'p20' });
});

it('forgets what was no deletion, so that the pipeline is taken over as any other', async () => {
  await store.accept([deletedOf(PIPELINE)]);
  await store.drop(await claimed());
  await store.note([noted(4, ['a'])]);
  expect(await rowOf()).toMatchObject({ version: 4, owed: false });
});
