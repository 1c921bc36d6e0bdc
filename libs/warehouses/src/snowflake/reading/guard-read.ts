import type { ProfileSchema, WorkspaceId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import { late } from '../../reading/late';
import { READS } from '../layout/guard';
import { ownMarker } from '../layout/marker';
import { type Place, qualified } from '../sql/names';

/** What has to hold for a read. */
export interface GuardedRead {
  readonly place: Place;
  readonly workspace: WorkspaceId;
  /** Of the reader. */
  readonly epoch: number;
  /** The schema that is read by; absent: what is read does not depend on it. */
  readonly profiles?: ProfileSchema | undefined;
  /** Whether it was let in before: then it has the time of grace of who keeps readers out. */
  readonly isUnderWay: boolean;
}

const selectGuard = (place: Place, isUnderWay: boolean): string => `
  SELECT "WORKSPACE", "LAYOUT", "SCHEMA_VERSION", "CHANGING_TO",
         (SELECT MAX("EPOCH") FROM ${qualified(place, '_FENCES')}
          WHERE "ROLE" = '${READS}' ${isUnderWay ? 'AND "BEGUN_AT" <= CURRENT_TIMESTAMP()' : ''})
  FROM ${qualified(place, '_META')}`;

/**
 * Checks whether what was read may be given: there is no lock that readers could share, so that it is checked behind the read.
 *
 * @throws WarehouseFault `foreign`, `newer`, `outdated`, `fenced`, of a read that is under way `unreachable`; else what the
 *   server says.
 */
export const guardRead = async (
  session: SnowflakeSession,
  { place, workspace, epoch, profiles, isUnderWay }: GuardedRead,
): Promise<void> => {
  const [row] = await session.rows(selectGuard(place, isUnderWay));
  const [owner, layout, version, changingTo = null, fence = null] = row ?? [];
  const marker = { workspace: String(owner) as WorkspaceId, layout: Number(layout) };
  const schemaVersion = Number(version);
  ownMarker(row && { ...marker, schemaVersion, change: undefined }, workspace);
  if (Number(fence ?? 0) > epoch)
    throw isUnderWay
      ? late()
      : new WarehouseFault('fenced', 'readers of an earlier configuration are kept out');
  const isKnown = schemaVersion === profiles?.version && changingTo === null;
  if (profiles !== undefined && !isKnown)
    throw new WarehouseFault('outdated', 'the schema of profiles is another one by now');
};
