import type { PipelineId } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { differing } from '../differing';
import type { CheckedPipeline } from '../router-store';
import { readOpen } from './restore';
import type { Database } from './sql/database';

interface NumberRow {
  readonly pipeline: PipelineId;
  readonly count: number;
}

const COUNTED = `
SELECT pipeline, sum(CASE WHEN state = 'Matched' THEN count ELSE -count END)::float8 AS count
  FROM penstock_router.counters
 WHERE pipeline = ANY ($1) AND NOT plain AND NOT (state = 'Filtered' AND code = 'OptedOut') GROUP BY pipeline`;

/** Rows whose workspace is not known have none. */
const STORED = `
SELECT d.pipeline, count(*)::float8 AS count
  FROM unnest($1::text[], $2::text[]) AS wanted (pipeline, workspace)
  JOIN penstock_router.deliveries d
    ON d.pipeline = wanted.pipeline AND d.workspace IN (wanted.workspace, '') AND d.state = 'Waiting'
 GROUP BY d.pipeline`;

const OWED = `
SELECT owed.key AS pipeline, sum(owed.value::bigint)::float8 AS count
  FROM penstock_router.cursors c CROSS JOIN LATERAL jsonb_each_text(c.owed) AS owed
 WHERE owed.key = ANY ($1) GROUP BY owed.key`;

/** Open deliveries of all pipelines in the change logs of all partitions. */
const openOf = async (db: PoolClient): Promise<NumberRow[]> => {
  const { rows } = await db.query<{ partition: number }>(
    'SELECT partition FROM penstock_router.partitions ORDER BY partition',
  );
  const open: NumberRow[] = [];
  for (const { partition } of rows)
    for (const { pipeline } of await readOpen(db, partition)) open.push({ pipeline, count: 1 });
  return open;
};

/** The pipelines whose counted open deliveries are not those that are open, from one snapshot. */
export const unbalanced = (
  database: Database,
  checked: readonly CheckedPipeline[],
): Promise<readonly PipelineId[]> =>
  database.snapshot(async (db) => {
    const pipelines = checked.map(({ pipeline }) => pipeline);
    const workspaces = checked.map(({ workspace }) => workspace);
    const { rows: counted } = await db.query<NumberRow>(COUNTED, [pipelines]);
    const { rows: stored } = await db.query<NumberRow>(STORED, [pipelines, workspaces]);
    const { rows: owed } = await db.query<NumberRow>(OWED, [pipelines]);
    return differing(pipelines, counted, [...stored, ...owed, ...(await openOf(db))]);
  });
