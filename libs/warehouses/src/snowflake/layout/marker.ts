import type { WorkspaceId } from '@penstock/contracts';
import { snowflakeCodeOf, type SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import { type Place, qualified } from '../sql/names';

/** Of the objects that a warehouse holds: a newer service brings older ones up. */
export const LAYOUT = 1;

/** Object does not exist, or the role may not see it; and a column that is not there: a table of somebody else. */
const MISSING: readonly (string | undefined)[] = ['002003', '000904', '002043'];

/** Whether a table or a column is missing, by the code of what the server has refused. */
export const isMissing = (code: string | undefined): boolean => MISSING.includes(code);

/** A change of the schema of profiles that was recorded and is not done. */
export interface UnfinishedChange {
  /** The version that the schema gets. */
  readonly to: number;
  /** Its steps as JSON. */
  readonly steps: string;
  /** How many of them are done. */
  readonly done: number;
}

/** What the marker says. */
export interface Marker {
  readonly workspace: WorkspaceId;
  readonly layout: number;
  readonly schemaVersion: number;
  /** The change of the schema of profiles that is not done; undefined: it is not being changed. */
  readonly change: UnfinishedChange | undefined;
}

/** @returns undefined when there is none. */
export const readMarker = async (
  session: SnowflakeSession,
  place: Place,
): Promise<Marker | undefined> => {
  const statement = `SELECT "WORKSPACE", "LAYOUT", "SCHEMA_VERSION", "CHANGING_TO", "CHANGING", "CHANGED" FROM ${qualified(place, '_META')}`;
  try {
    const [row] = await session.rows(statement);
    if (row === undefined) return undefined;
    const [workspace, layout, version, to = null, steps, done] = row;
    return {
      workspace: String(workspace) as WorkspaceId,
      layout: Number(layout),
      schemaVersion: Number(version),
      change:
        to === null ? undefined : { to: Number(to), steps: String(steps), done: Number(done ?? 0) },
    };
  } catch (error) {
    if (isMissing(snowflakeCodeOf(error))) return undefined;
    throw error;
  }
};

/** What a marker says. @throws WarehouseFault unless it is the workspace's, and of a layout that this service knows. */
export const ownMarker = (found: Marker | undefined, workspace: WorkspaceId): Marker => {
  if (found === undefined)
    throw new WarehouseFault('unusable', 'data warehouse has no marker: repair it');
  if (found.workspace !== workspace)
    throw new WarehouseFault('foreign', 'warehouse of another workspace');
  const { layout } = found;
  if (layout > LAYOUT)
    throw new WarehouseFault(
      'newer',
      `data warehouse has layout ${String(layout)}, of a newer version of Penstock: this one knows ${String(LAYOUT)}`,
    );
  return found;
};
