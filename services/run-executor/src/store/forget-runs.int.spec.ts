import type { PipelineId, RunId } from '@penstock/contracts';
import type { PostgresRunStore } from './postgres-run-store';
import { aBatch, aRun, StoreDatabase, SUCCEEDED, WORKSPACE } from './store.fixture';

jest.setTimeout(600_000);

const DAY_MS = 86_400_000;
const PIPELINES = ['pipeline00000001' as PipelineId, 'pipeline00000002' as PipelineId];

const database = StoreDatabase.forEachTest();
let store: PostgresRunStore;

beforeEach(async () => {
  store = await database.open();
});

const change = (run: RunId, to: string): Promise<unknown> =>
  database.pool.query(`UPDATE penstock_runs.runs SET ${to} WHERE id = $1`, [run]);

/** A run of one batch that ended so many days ago, and for which nothing is left to be done. */
const ended = async (days: number, pipeline = PIPELINES[0]): Promise<RunId> => {
  const accepted = aRun(pipeline && { pipeline });
  await store.accept([accepted]);
  const { run } = accepted;
  const epoch = (await store.claim('w1'))?.epoch ?? 0;
  await store.ledger(run, epoch).settle(aBatch(1));
  await store.end(run, epoch, SUCCEEDED);
  await store.finish(run, 'told');
  await store.finish(run, 'cleaned');
  await database.pool.query('UPDATE penstock_runs.facts SET published = true');
  await change(run, `ended = ended - interval '${String(days)} days'`);
  return run;
};

const kept = async (): Promise<readonly RunId[]> => {
  const wanted = { pipeline: null, status: null, from: null, to: null };
  const runs = await store.list(WORKSPACE, wanted, { limit: 1_000, after: '' });
  return runs.map(({ id }) => id).sort();
};

/** The counts of all runs that there were, with the number of rows that hang on those that are kept. */
const counted = async (): Promise<unknown> =>
  (
    await database.pool.query(`
      SELECT workspace, pipeline, step, sum(passed)::int AS passed, sum(failed)::int AS failed
        FROM penstock_runs.pipeline_counts GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`)
  ).rows;

it('forgets runs that ended before, with their facts and errors, and keeps their counts', async () => {
  for (const days of [401, 402, 500]) for (const pipeline of PIPELINES) await ended(days, pipeline);
  const young = [await ended(399), await ended(0, PIPELINES[1])].sort();
  const before = await counted();
  expect(before).toHaveLength(12);
  await store.forgetRuns(400 * DAY_MS);
  expect(await kept()).toEqual(young);
  expect(await counted()).toEqual(before);
  const { rows } = await database.pool.query(
    `SELECT run FROM penstock_runs.facts UNION SELECT run FROM penstock_runs.errors ORDER BY run`,
  );
  expect(rows.map(({ run }: { run: RunId }) => run)).toEqual(young);
  await store.forgetRuns(398 * DAY_MS);
  expect([await kept(), await counted()]).toEqual([young.slice(1), before]);
});

it('keeps runs for which something is left to be done', async () => {
  const runs = [];
  for (const to of ['told = false', 'cleaned = false', 'ended = NULL']) {
    const run = await ended(500);
    await change(run, to);
    runs.push(run);
  }
  const unpublished = await ended(500);
  await database.pool.query('UPDATE penstock_runs.facts SET published = false WHERE run = $1', [
    unpublished,
  ]);
  await store.forgetRuns(DAY_MS);
  expect(await kept()).toEqual([...runs, unpublished].sort());
});

it('forgets in pieces: by their number, and by their facts', async () => {
  const long = await ended(500);
  await database.pool.query(
    `INSERT INTO penstock_runs.facts (run, number, actor, type, data, published)
     SELECT $1, n, 'system', 'BatchSettled', '{}', true FROM generate_series(10, 30000) n`,
    [long],
  );
  await change(long, 'facts = 30000');
  await database.pool.query(
    `INSERT INTO penstock_runs.runs (id, workspace, pipeline, connection, pipeline_name, pipeline_version, trigger,
                                     incremental, requested, status, ended, told, cleaned, attempt, facts)
     SELECT 'run' || lpad(n::text, 12, '0'), $1, 'pipeline00000009', 'connection000009', 'Old', 1, 'Schedule',
            false, now(), 'Failed', now() - interval '2 years', true, true, 1, 1
       FROM generate_series(1, 1200) n`,
    [WORKSPACE],
  );
  // Every statement is short: one run, or few of them.
  await database.pool.query(`
    CREATE FUNCTION penstock_runs.few() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT count(*) FROM gone) > 500 THEN RAISE 'too many runs at once'; END IF;
      IF (SELECT count(*) > 1 AND bool_or(facts = 30000) FROM gone) THEN RAISE 'too many facts at once'; END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER few AFTER DELETE ON penstock_runs.runs REFERENCING OLD TABLE AS gone
      FOR EACH STATEMENT EXECUTE FUNCTION penstock_runs.few()`);
  const young = await ended(1);
  await store.forgetRuns(30 * DAY_MS);
  expect(await kept()).toEqual([young]);
});
