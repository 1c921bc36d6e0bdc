import type { RunCancel, RunId } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { addFact } from './postgres-ledger';

const RECORD = `
UPDATE penstock_runs.runs SET cancel = $2, cancel_mode = $3, cancel_at = clock_timestamp(), facts = facts + 1
 WHERE id = $1 AND ended IS NULL AND cancel IS NULL
RETURNING facts`;

/** Records once that the cancel of a live run was requested, and by whom. */
export const recordCancel = async (
  db: PoolClient,
  run: RunId,
  { actor, ...data }: RunCancel,
): Promise<void> => {
  const { rows } = await db.query<{ facts: number }>(RECORD, [run, data.reason, data.mode ?? null]);
  const [row] = rows;
  if (row === undefined) return;
  const fact = { type: 'RunCancelRequested', data } as const;
  await addFact(db, run, row.facts, fact, actor === undefined ? {} : { actor });
};
