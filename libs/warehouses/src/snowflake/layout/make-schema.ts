import type { WorkspaceId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import { catalogue, type Place, qualified, schemaName } from '../sql/names';
import { LAYOUT } from './marker';

/** Whether there is the schema, and the role may see it. */
export const hasSchema = async (session: SnowflakeSession, place: Place): Promise<boolean> => {
  const rows = await session.rows(
    `SELECT 1 FROM ${catalogue(place, 'SCHEMATA')} WHERE SCHEMA_NAME = ?`,
    [place.schema],
  );
  return rows.length > 0;
};

/** Makes the schema where it is missing. */
export const createSchema = async (
  session: SnowflakeSession,
  place: Place,
): Promise<readonly string[]> => {
  if (await hasSchema(session, place)) return [];
  await session.rows(`CREATE SCHEMA IF NOT EXISTS ${schemaName(place)}`);
  return [place.schema];
};

/** Writes the marker of a warehouse that has none. */
export const writeMarker = async (
  session: SnowflakeSession,
  place: Place,
  workspace: WorkspaceId,
  version: number,
): Promise<void> => {
  await session.rows(
    `INSERT INTO ${qualified(place, '_META')} ("WORKSPACE", "WAREHOUSE", "LAYOUT", "CREATED_AT", "SCHEMA_VERSION")
     SELECT ?, UUID_STRING(), ${String(LAYOUT)}, CURRENT_TIMESTAMP(), ${String(version)}`,
    [workspace],
  );
};
