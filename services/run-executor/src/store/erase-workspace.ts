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

/** Of a workspace, beside its runs: of the first ones nothing else tells that they are there. */
const OTHERS = [
  'turns',
  'sweeps',
  'rates',
  'event_looks',
  'resolutions',
  'erasures',
  'removals',
  'past_counts',
] as const;

/** What hangs on runs, some rows at a time. */
const eraseParts = async (database: Database, runs: readonly RunId[]): Promise<void> => {
  for (const table of ['facts', 'errors'] as const)
    while ((await database.change(DELETE_SOME(table), [runs])) === ROWS_AT_ONCE);
  await forgetKeys(database, runs);
};

/**
 * Erases all of a deleted workspace, in pieces: a history of years is more than one statement may delete. What is not found
 * by its workspace goes in the transaction of the runs that lead to it, so that nothing is left when the process ends.
 */
export const eraseWorkspace = async (database: Database, workspace: WorkspaceId): Promise<void> => {
  for (let count = RUNS_AT_ONCE; count === RUNS_AT_ONCE;) {
    const rows = await database.rows<{ id: RunId }>(SOME, [workspace]);
    const runs = rows.map(({ id }) => id);
    count = runs.length;
    await eraseParts(database, runs);
    await database.transaction(async (db) => {
      await db.query('DELETE FROM penstock_runs.runs WHERE id = ANY ($1)', [runs]);
      // Whoever was taking keys has done so by now, and nobody takes others.
      await db.query('DELETE FROM penstock_runs.export_keys WHERE run = ANY ($1)', [runs]);
      if (count === RUNS_AT_ONCE) return;
      for (const table of OTHERS)
        await db.query(`DELETE FROM penstock_runs.${table} WHERE workspace = $1`, [workspace]);
    });
  }
};
