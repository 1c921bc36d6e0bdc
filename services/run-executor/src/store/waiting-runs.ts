import type { RunId, RunStep, RunWait } from '@penstock/contracts';
import { cleanText } from './clean-text';
import type { Database } from './database';
import { addFact } from './postgres-ledger';

/** Different reasons that a run keeps as warnings. */
const MAX_REASONS = 20;

const BEGIN = `
UPDATE penstock_runs.runs
   SET waiting = $3, facts = facts + 1,
       waited = CASE WHEN $4 = ANY (waited) OR cardinality(waited) >= ${String(MAX_REASONS)} THEN waited
                     ELSE waited || $4::text END
 WHERE id = $1 AND epoch = $2 AND ended IS NULL
RETURNING facts`;

const SET = `
UPDATE penstock_runs.runs SET waiting = $3 WHERE id = $1 AND epoch = $2 AND ended IS NULL`;

const stored = ({ since, reason, nextAttemptAt }: RunWait): string =>
  cleanText(JSON.stringify({ since, reason, nextAttemptAt }));

/** Records that a run has begun to wait. Does nothing for a run that has ended, or has another epoch. */
export const beginWaiting = (
  database: Database,
  run: RunId,
  epoch: number,
  { step, ...waiting }: RunWait & { readonly step: RunStep },
): Promise<void> =>
  database.transaction(async (db) => {
    const warning = cleanText(`waited at ${step}: ${waiting.reason}`);
    const { rows } = await db.query<{ facts: number }>(BEGIN, [
      run,
      epoch,
      stored(waiting),
      warning,
    ]);
    const [row] = rows;
    if (row === undefined) return;
    const data = { epoch, step, reason: waiting.reason };
    await addFact(db, run, row.facts, { type: 'RunWaiting', data });
  });

/** Records when a waiting run tries again; `null`: it waits no more. */
export const setWaiting = async (
  database: Database,
  run: RunId,
  epoch: number,
  waiting: RunWait | null,
): Promise<void> => {
  await database.rows(SET, [run, epoch, waiting && stored(waiting)]);
};
