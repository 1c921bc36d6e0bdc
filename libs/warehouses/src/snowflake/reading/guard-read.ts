import type { ProfileSchema, WorkspaceId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import { type Place, qualified } from '../sql/names';

/** Of the objects that a warehouse holds: a newer service brings older ones up. */
const LAYOUT = 1;

/** What has to hold for a read. */
export interface GuardedRead {
  readonly place: Place;
  readonly workspace: WorkspaceId;
  /** Of the reader. */
  readonly epoch: number;
  /** The schema that is read by; absent: what is read does not depend on it. */
  readonly profiles?: ProfileSchema | undefined;
}

const selectGuard = (place: Place): string => `
  SELECT "WORKSPACE", "LAYOUT", "SCHEMA_VERSION", "CHANGING_TO",
         (SELECT MAX("EPOCH") FROM ${qualified(place, '_FENCES')} WHERE "ROLE" = 'reads')
  FROM ${qualified(place, '_META')}`;

const refuse = (kind: WarehouseFault['kind'], message: string): never => {
  throw new WarehouseFault(kind, message);
};

/**
 * Checks whether what was read may be given: there is no lock that readers could share, so that it is checked behind the read.
 *
 * @throws WarehouseFault `foreign`, `newer`, `fenced`, `outdated`; else what the server says.
 */
export const guardRead = async (
  session: SnowflakeSession,
  { place, workspace, epoch, profiles }: GuardedRead,
): Promise<void> => {
  const [row] = await session.rows(selectGuard(place));
  if (row === undefined)
    throw new WarehouseFault('unusable', 'data warehouse has no marker: repair it');
  const [owner, layout, version, changingTo = null, fence = null] = row;
  if (owner !== workspace) refuse('foreign', 'warehouse of another workspace');
  if (Number(layout) > LAYOUT)
    refuse(
      'newer',
      `data warehouse has layout ${String(layout)}, of a newer version of Penstock: this one knows ${String(LAYOUT)}`,
    );
  if (Number(fence ?? 0) > epoch)
    refuse('fenced', 'readers of an earlier configuration are kept out');
  const isKnown = Number(version) === profiles?.version && changingTo === null;
  if (profiles !== undefined && !isKnown)
    refuse('outdated', 'the schema of profiles is another one by now');
};
