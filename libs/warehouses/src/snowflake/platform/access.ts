import type { SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import { hasSchema } from '../layout/make-schema';
import { dropStage, stageRows } from '../layout/stages';
import { catalogue, type Place, qualified } from '../sql/names';

/** @throws WarehouseFault unless the schema can be looked into. */
export const checkReading = async (session: SnowflakeSession, place: Place): Promise<void> => {
  if (!(await hasSchema(session, place)))
    throw new WarehouseFault('unusable', 'schema does not exist');
};

/** Tables that everything else is written with. */
const WRITTEN = ['_META', '_EVENTS', '_IDENTITIES', '_PROFILES'];

/**
 * Rejects unless the role may create, read and write in the schema. The server is asked by doing: a staging table is made and
 * dropped, and nothing is deleted from the tables that there are.
 *
 * @throws WarehouseFault
 */
export const checkAccess = async (session: SnowflakeSession, place: Place): Promise<void> => {
  await checkReading(session, place);
  await dropStage(session, await stageRows(session, place, ['X'], [['x']], 0));
  const rows = await session.rows(
    `SELECT TABLE_NAME FROM ${catalogue(place, 'TABLES')} WHERE TABLE_SCHEMA = ?`,
    [place.schema],
  );
  const present = rows.map(([name]) => name ?? '').filter((name) => WRITTEN.includes(name));
  for (const name of present) {
    const at = qualified(place, name);
    await session.rows(`DELETE FROM ${at} WHERE 1 = 0`);
    await session.rows(`INSERT INTO ${at} SELECT * FROM ${at} WHERE 1 = 0`);
  }
};
