import type { WorkspaceId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import { type Unresolved, WarehouseFault } from '../../platform/warehouse';
import { readMarker } from '../layout/marker';
import { type Place, qualified } from '../sql/names';

/** How many identities are to be resolved. Locks nothing. @throws WarehouseFault `foreign` */
export const readUnresolved = async (
  session: SnowflakeSession,
  place: Place,
  workspace: WorkspaceId,
): Promise<Unresolved> => {
  if ((await readMarker(session, place))?.workspace !== workspace)
    throw new WarehouseFault('foreign', 'warehouse of another workspace');
  const [row] = await session.rows(
    `SELECT COUNT(*), DATEDIFF('millisecond', MIN("SINCE"), CURRENT_TIMESTAMP()) FROM ${qualified(place, '_DIRTY')}`,
  );
  const [count, waiting = null] = row ?? [];
  return { count: Number(count), waitingMs: waiting === null ? null : Number(waiting) };
};
