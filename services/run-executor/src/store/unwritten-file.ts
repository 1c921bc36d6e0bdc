import { RUN_STEPS, type RunErrorGroup, type RunId, type RunPosition } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { addFact } from './postgres-ledger';
import { addErrors } from './run-errors';

/** Of an export that ends, records that were handled for a file and are not in it: only files are finalized so late. */
const FAIL = `
UPDATE penstock_runs.runs
   SET failed[6] = passed[3] - passed[6], sequence = greatest(sequence + 1, next_batch), facts = facts + 1
 WHERE id = $1 AND epoch = $2 AND ended IS NULL AND incremental IS NULL AND replay_mode IS NULL
   AND passed[4] + failed[4] = 0 AND passed[3] > passed[6] + failed[6]
RETURNING facts, sequence, attempt, position,
          (SELECT (r.passed[3] - r.passed[6] - r.failed[6])::float8 FROM penstock_runs.runs r WHERE r.id = $1) AS count`;

interface FailedRow {
  readonly facts: number;
  readonly sequence: number;
  readonly attempt: number;
  readonly position: string;
  readonly count: number;
}

const ZEROS = RUN_STEPS.map(() => 0);

/**
 * Counts the records of a file that was not completed as failed, all of them, before its run ends. Changes nothing for any
 * other run.
 */
export const failUnwritten = async (db: PoolClient, run: RunId, epoch: number): Promise<void> => {
  const { rows } = await db.query<FailedRow>(FAIL, [run, epoch]);
  const [row] = rows;
  if (row === undefined) return;
  const { facts, sequence, attempt, position, count } = row;
  const group: RunErrorGroup = {
    ...{ step: 'Finalize', code: 'NotWritten', message: 'the file was not completed' },
    ...{ count, samples: [] },
  };
  const data = {
    ...{ epoch: attempt, sequence, position: JSON.parse(position) as RunPosition },
    ...{ passed: ZEROS, failed: [...ZEROS.slice(1), count], duplicates: 0, withoutId: 0 },
    ...{ cursor: null, errors: [group], warnings: [] },
  };
  await addFact(db, run, facts, { type: 'BatchSettled', data });
  await addErrors(db, run, [group]);
};
