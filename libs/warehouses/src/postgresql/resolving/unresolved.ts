import type { WorkspaceId } from '@penstock/contracts';
import type { Client } from 'pg';
import { type Unresolved, WarehouseFault } from '../../platform/warehouse';
import { readMarker } from '../layout/marker';
import { qualified } from '../sql/names';

/** How many identities are to be resolved. Locks nothing. @throws WarehouseFault `foreign` */
export const readUnresolved = async (
  client: Client,
  schema: string,
  workspace: WorkspaceId,
): Promise<Unresolved> => {
  if ((await readMarker(client, schema)) !== workspace)
    throw new WarehouseFault('foreign', 'warehouse of another workspace');
  const { rows } = await client.query<Unresolved>(
    `SELECT count(*)::float8 AS count,
            (extract(epoch FROM clock_timestamp() - min(since)) * 1000)::float8 AS "waitingMs"
     FROM ${qualified(schema, '_dirty')}`,
  );
  return rows[0] ?? { count: 0, waitingMs: null };
};
