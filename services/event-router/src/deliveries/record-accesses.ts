import type { Pool } from 'pg';
import type { Access } from './whole-deliveries';

const RECORD = `
INSERT INTO penstock_router.accesses (workspace, actor, request_id, delivery)
SELECT $1, $2, $3, delivery FROM unnest($4::text[]) AS delivery`;

/** Records that values of deliveries are given to somebody. Call it before they are. */
export const recordAccesses = async (
  pool: Pool,
  workspace: string,
  { actor, requestId }: Access,
  deliveries: readonly string[],
): Promise<void> => {
  if (deliveries.length > 0) await pool.query(RECORD, [workspace, actor, requestId, deliveries]);
};
