import type { RunId } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { IS_TO_APPLICATION } from './is-to-application';

/** Users that a batch was about to create that was never settled. */
const COUNT = `
SELECT count(*)::float8 AS count FROM penstock_runs.export_keys k
  JOIN penstock_runs.runs r ON r.id = k.run AND k.batch > r.sequence
 WHERE r.id = $1 AND ${IS_TO_APPLICATION}`;

/** What an export to an application leaves open that ends before all is sent: a warning, or none. */
export const doubtfulUsers = async (db: PoolClient, run: RunId): Promise<readonly string[]> => {
  const { rows } = await db.query<{ count: number }>(COUNT, [run]);
  const count = rows[0]?.count ?? 0;
  if (count === 0) return [];
  return [
    count === 1
      ? 'it is not known whether the application has created 1 user'
      : `it is not known which of ${String(count)} users the application has created`,
  ];
};
