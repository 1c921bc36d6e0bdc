import type { RunId, WorkspaceId } from '@penstock/contracts';
import type { Database } from './database';
import { forgetKeys } from './taken-keys';

/** Runs that are erased together. */
const RUNS_AT_ONCE = 500;
/** Rows that one statement deletes: well within the time that a statement may take. */
const ROWS_AT_ONCE = 5_000;

const SOME = `SELECT id FROM penstock_runs.runs WHERE workspace = $1 ORDER BY id LIMIT ${String(RUNS_AT_ONCE)}`;

const DELETE_SOME = (table: 'facts' | 'errors'): string => `
DELETE FROM penstock_runs.${table} WHERE id = ANY (ARRAY(
  SELECT id FROM penstock_runs.${table} WHERE run = ANY ($1) LIMIT ${String(ROWS_AT_ONCE)}))`;

/** Of a workspace, beside its runs. */
const OTHERS = [
  'turns',
  'sweeps',
  'rates',
  'event_looks',
  'resolutions',
  'erasures',
  'removals',
] as const;

const eraseRuns = async (database: Database, runs: readonly RunId[]): Promise<void> => {
  for (const table of ['facts', 'errors'] as const)
    while ((await database.change(DELETE_SOME(table), [runs])) === ROWS_AT_ONCE);
  await database.rows('DELETE FROM penstock_runs.runs WHERE id = ANY ($1)', [runs]);
  // Whoever was taking keys has done so by now, and nobody takes others.
  await forgetKeys(database, runs);
};

/** Erases all of a deleted workspace, in pieces: a history of years is more than one statement may delete. */
export const eraseWorkspace = async (database: Database, workspace: WorkspaceId): Promise<void> => {
  for (;;) {
    const rows = await database.rows<{ id: RunId }>(SOME, [workspace]);
    if (rows.length === 0) break;
    await eraseRuns(
      database,
      rows.map(({ id }) => id),
    );
  }
  for (const table of OTHERS)
    await database.rows(`DELETE FROM penstock_runs.${table} WHERE workspace = $1`, [workspace]);
};
