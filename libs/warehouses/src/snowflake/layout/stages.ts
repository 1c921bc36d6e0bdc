import { randomBytes } from 'node:crypto';
import {
  type BoundRow,
  boundParts,
  snowflakeName,
  type SnowflakeSession,
} from '@penstock/databases';
import { catalogue, type Place, qualified } from '../sql/names';

/** A name that tells when the table was made. */
const STAGE = /^_STAGE_([0-9]{1,12})_[0-9A-F]{16}$/;

/** Seconds after which nobody uses a staging table any more: statements of writers end after 5 minutes. */
const LEFT_OVER_SECONDS = 3_600;

/** Seconds since 1970 by the clock of the server. */
export const serverSeconds = async (session: SnowflakeSession): Promise<number> => {
  const [row] = await session.rows('SELECT DATE_PART(EPOCH_SECOND, CURRENT_TIMESTAMP())');
  return Number(row?.[0]);
};

const nameOfStage = (seconds: number): string =>
  `_STAGE_${String(Math.floor(seconds))}_${randomBytes(8).toString('hex').toUpperCase()}`;

/** A new name of a staging table as SQL, by the clock of the server. */
export const stageNow = async (session: SnowflakeSession, place: Place): Promise<string> =>
  qualified(place, nameOfStage(await serverSeconds(session)));

/**
 * Stages rows as texts. Outside of a transaction, which it would commit.
 *
 * @param columns names of the columns that rows have; all of them are texts.
 * @param aheadSeconds by which the server's clock is ahead of this one.
 * @returns the table as SQL.
 */
export const stageRows = async (
  session: SnowflakeSession,
  place: Place,
  columns: readonly string[],
  rows: Iterable<BoundRow>,
  aheadSeconds: number,
): Promise<string> => {
  const stage = qualified(place, nameOfStage(Date.now() / 1_000 + aheadSeconds));
  const definitions = columns.map((name) => `${snowflakeName(name)} VARCHAR`);
  await session.rows(`CREATE TRANSIENT TABLE ${stage} (${definitions.join(', ')})`);
  const names = columns.map(snowflakeName).join(', ');
  const insert = `INSERT INTO ${stage} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
  for (const part of boundParts(rows)) await session.rows(insert, part);
  return stage;
};

/** Drops a staging table. Outside of a transaction, which it would commit. @param stage as SQL */
export const dropStage = async (session: SnowflakeSession, stage: string): Promise<void> => {
  await session.rows(`DROP TABLE IF EXISTS ${stage}`);
};

/** Staging tables that were left over an hour ago or earlier. */
export const findLeftOvers = async (
  session: SnowflakeSession,
  place: Place,
): Promise<readonly string[]> => {
  const now = await serverSeconds(session);
  const rows = await session.rows(
    `SELECT TABLE_NAME FROM ${catalogue(place, 'TABLES')} WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE '%STAGE%' ORDER BY 1`,
    [place.schema],
  );
  return rows
    .map(([name]) => String(name))
    .filter((name) => {
      const [, made] = STAGE.exec(name) ?? [];
      return made !== undefined && Number(made) <= now - LEFT_OVER_SECONDS;
    });
};

/** Drops staging tables that were left over an hour ago or earlier. @returns their names. */
export const dropLeftOvers = async (
  session: SnowflakeSession,
  place: Place,
): Promise<readonly string[]> => {
  const names = await findLeftOvers(session, place);
  for (const name of names) await dropStage(session, qualified(place, name));
  return names;
};
