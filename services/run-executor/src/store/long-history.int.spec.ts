import { newId } from '@penstock/runtime';
import type { RunId, WorkspaceId } from '@penstock/contracts';
import { Pool } from 'pg';
import type { PostgresRunStore } from './postgres-run-store';
import type { RunsWanted } from './run-store';
import { aRun, StoreDatabase, SUCCEEDED, WORKSPACE } from './store.fixture';

jest.setTimeout(600_000);

const COUNT = 20_000;
const BROKEN = 'workspace0000009' as WorkspaceId;

const database = StoreDatabase.forEachTest();
let store: PostgresRunStore;
let session: Pool;

/** Ended runs of a workspace, older than any that begins now, of which the warehouse has forgotten none. */
const addEnded = (workspace: string, cleaned: boolean): Promise<unknown> =>
  database.pool.query(
    `INSERT INTO penstock_runs.runs (id, workspace, pipeline, connection, pipeline_name, pipeline_version, trigger,
                                     incremental, requested, status, ended, told, cleaned, attempt, facts)
     SELECT '0000000' || $1 || lpad(n::text, 8, '0'), $1, 'pipeline00000009', 'connection000009', 'Old', 1, 'Schedule',
            false, now(), 'Failed', now(), true, $2, 1, 1
       FROM generate_series(1, ${String(COUNT)}) n`,
    [workspace, cleaned],
  );

beforeEach(async () => {
  await database.open();
  session = new Pool({ ...database.pool.options, max: 1 });
  store = await database.open(4, session);
  await addEnded(BROKEN, false);
  await addEnded(WORKSPACE, true);
  await database.pool.query('ANALYZE penstock_runs.runs');
});

afterEach(() => session.end());

/** @returns how many rows of runs were read meanwhile, by any way: all statements have one session. */
const rowsRead = async (work: () => Promise<unknown>): Promise<number> => {
  const counted = async (): Promise<number> => {
    await session.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await session.query<{ rows: number }>(
      `SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_user_tables
        WHERE relname = 'runs' AND schemaname = 'penstock_runs'`,
    );
    return rows[0]?.rows ?? 0;
  };
  const before = await counted();
  await work();
  return (await counted()) - before;
};

const ended = async (): Promise<RunId> => {
  const run = aRun();
  await store.accept([run]);
  const claim = await store.claim('w1');
  await store.end(run.run, claim?.epoch ?? 0, SUCCEEDED);
  return run.run;
};

const NOTHING = { runs: [], workspaces: [] };

it('ends are told without going through runs that nobody can clean up after', async () => {
  const run = await ended();
  expect(
    await rowsRead(async () => {
      expect((await store.left('told', 50, NOTHING)).map((each) => each.run)).toEqual([run]);
    }),
  ).toBeLessThan(100);
});

it('runs are cleaned up after without going through those of a workspace that is put off', async () => {
  const run = await ended();
  await store.finish(run, 'told');
  expect(
    await rowsRead(async () => {
      const left = await store.left('cleaned', 50, { ...NOTHING, workspaces: [BROKEN] });
      expect(left.map((each) => each.run)).toEqual([run]);
    }),
  ).toBeLessThan(100);
  const all = await store.left('cleaned', 50, NOTHING);
  expect(all).toHaveLength(50);
  expect(new Set(all.map(({ workspace }) => workspace))).toEqual(new Set([BROKEN]));
});

it.each<[RunsWanted['status'], number]>([
  ['Queued', 1],
  ['Running', 1],
  ['Succeeded', 0],
  ['Cancelled', 0],
])('lists runs that are %s without going through the others', async (status, count) => {
  await ended();
  await store.accept([aRun()]);
  const wanted = { pipeline: null, status, from: null, to: null };
  expect(
    await rowsRead(async () => {
      const found = await store.list(WORKSPACE, wanted, { limit: 100, after: '' });
      expect(found.map((each) => each.status)).toEqual(Array(count).fill(status));
    }),
  ).toBeLessThan(100);
});

it('erases a workspace in pieces, and no other one', async () => {
  await database.pool.query(
    `INSERT INTO penstock_runs.facts (run, number, actor, type, data)
     SELECT (SELECT min(id) FROM penstock_runs.runs WHERE workspace = $1), n, 'system', 'BatchSettled', '{}'
       FROM generate_series(1, 12000) n`,
    [BROKEN],
  );
  const live = aRun({ run: newId() as RunId, workspace: BROKEN });
  await store.accept([live]);
  expect([...(await store.workspaces())].sort()).toEqual([WORKSPACE, BROKEN].sort());
  // Every statement is short: none deletes more than a piece.
  await database.pool.query(`
    CREATE FUNCTION penstock_runs.few() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT count(*) FROM gone) > 10000 THEN RAISE 'too many rows at once'; END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER few AFTER DELETE ON penstock_runs.runs REFERENCING OLD TABLE AS gone
      FOR EACH STATEMENT EXECUTE FUNCTION penstock_runs.few();
    CREATE TRIGGER few AFTER DELETE ON penstock_runs.facts REFERENCING OLD TABLE AS gone
      FOR EACH STATEMENT EXECUTE FUNCTION penstock_runs.few()`);
  await store.erase(BROKEN);
  expect(await store.workspaces()).toEqual([WORKSPACE]);
  const { rows } = await database.pool.query(
    `SELECT (SELECT count(*)::int FROM penstock_runs.runs) AS runs, (SELECT count(*)::int FROM penstock_runs.facts) AS facts`,
  );
  expect(rows).toEqual([{ runs: COUNT, facts: 0 }]);
});
