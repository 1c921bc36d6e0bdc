import type { Database } from './database';

const RUNS_AT_ONCE = 500;
/** Facts that one statement deletes with their runs; a single run may have more. */
const FACTS_AT_ONCE = 20_000;

/**
 * Deletes the runs that ended first, with all that hangs on them, and adds their counts to those of runs that were deleted
 * before. A run stays while something is left to be done for it.
 */
const FORGET = `
WITH old AS (
  SELECT id, workspace, pipeline, ended, passed, failed, facts FROM penstock_runs.runs r
   WHERE ended < clock_timestamp() - $1 * interval '1 millisecond' AND told AND cleaned
     AND NOT EXISTS (SELECT FROM penstock_runs.facts f WHERE f.run = r.id AND NOT f.published)
   ORDER BY ended, id LIMIT ${String(RUNS_AT_ONCE)} FOR UPDATE SKIP LOCKED
), few AS (
  SELECT * FROM (SELECT *, sum(facts) OVER (ORDER BY ended, id) AS facts_so_far FROM old) AS o
   WHERE facts_so_far <= ${String(FACTS_AT_ONCE)} OR facts_so_far = facts
), counted AS (
  INSERT INTO penstock_runs.past_counts AS p (workspace, pipeline, day, step, passed, failed)
  SELECT workspace, pipeline, penstock_runs.day_of(ended), step, sum(c.passed), sum(c.failed)
    FROM few CROSS JOIN unnest(few.passed, few.failed) WITH ORDINALITY AS c (passed, failed, step)
   GROUP BY 1, 2, 3, 4
  ON CONFLICT (pipeline, day, step) DO UPDATE
     SET passed = p.passed + excluded.passed, failed = p.failed + excluded.failed
)
DELETE FROM penstock_runs.runs WHERE id IN (SELECT id FROM few)`;

/** Deletes runs that ended longer ago than this, some at a time. */
export const forgetRuns = async (database: Database, olderThanMs: number): Promise<void> => {
  while ((await database.change(FORGET, [olderThanMs])) > 0);
};
