import { TOPIC } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { Differences, readTopic, type Verified } from '@penstock/platform';
import type { Pool } from 'pg';
import { Database } from '../store/database';
import { RunChecks } from './check-runs';
import { TopicChecks } from './check-topic';
import { StoredRuns } from './stored-runs';
import { Workspaces } from './workspaces';

/** Longest pause of the verification between two of its statements. */
const MAX_IDLE_MS = 60_000;

/** Folds facts and compares runs in one read-only transaction, which sees one moment. */
const checkRuns = (database: Database, differences: Differences): Promise<RunChecks> =>
  database.transaction(async (db) => {
    await db.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const stored = new StoredRuns(
      async <Row extends object>(text: string, values: readonly unknown[]) =>
        (await db.query<Row>(text, [...values])).rows,
    );
    const checks = new RunChecks(stored, differences);
    await checks.check();
    return checks;
  }, MAX_IDLE_MS);

const checkTopic = async (
  log: MessageLog,
  stored: StoredRuns,
  { published }: RunChecks,
  differences: Differences,
): Promise<void> => {
  const workspaces = new Workspaces(log);
  await workspaces.open();
  try {
    const topic = new TopicChecks(stored, (id) => workspaces.exists(id), differences);
    await readTopic(log, TOPIC.runs, (records) => topic.take(records));
    await topic.end(published);
  } finally {
    await workspaces.close();
  }
};

const NOTHING: Verified = { what: '0 facts of 0 runs', differences: [], count: 0 };

const describe = ({ facts, runs, pending }: RunChecks): string =>
  `${String(facts)} facts of ${String(runs)} runs` +
  (pending === 0 ? '' : `, ${String(pending)} of them not published yet`);

/**
 * Rebuilds every run from its facts, and compares it with what is shown; compares the facts with the topic of runs. Runs
 * may be performed meanwhile. Memory is bounded by a page of facts, which have a megabyte at most, and three bits of each
 * fact that was ever recorded.
 */
export const verifyRuns = async (pool: Pool, log: MessageLog): Promise<Verified> => {
  const differences = new Differences();
  const database = new Database(pool);
  const stored = new StoredRuns((text, values) => database.rows(text, values));
  if (!(await stored.exist())) {
    const [end = 0] = await log.endOffsets(TOPIC.runs);
    if (end > 0) differences.report('penstock_runs', 'is missing');
    return { ...NOTHING, differences: differences.named, count: differences.count };
  }
  const checks = await checkRuns(database, differences);
  await checkTopic(log, stored, checks, differences);
  return { what: describe(checks), differences: differences.named, count: differences.count };
};
