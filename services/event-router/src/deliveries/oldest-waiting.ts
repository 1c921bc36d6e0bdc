import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type { PoolClient } from 'pg';

/**
 * The oldest event of the pipelines is one that a router has noted, for the pipeline or its destination, or a stored delivery.
 */
const OLDEST = `
SELECT greatest(0, ceil(extract(epoch FROM now() - min(oldest.since))))::int AS seconds
  FROM (SELECT since FROM penstock_router.waiting WHERE about = ANY ($1) OR about = $2
        UNION ALL
        SELECT stored.received FROM unnest($1::text[]) AS wanted (pipeline)
         CROSS JOIN LATERAL (
          SELECT d.received FROM penstock_router.deliveries d
           WHERE d.workspace = $3 AND d.pipeline = wanted.pipeline AND d.state = 'Waiting' AND d.code = ''
           ORDER BY d.received LIMIT 1) stored) oldest`;

/** Seconds for which the oldest event has waited for its delivery; 0: none waits. */
export const oldestWaiting = async (
  db: PoolClient,
  pipelines: readonly PipelineId[],
  { connection, workspace }: { readonly connection: ConnectionId; readonly workspace: string },
): Promise<number> => {
  const { rows } = await db.query<{ seconds: number | null }>(OLDEST, [
    pipelines,
    connection,
    workspace,
  ]);
  return rows[0]?.seconds ?? 0;
};
