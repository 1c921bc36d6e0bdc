import { snowflakeName, snowflakeText } from '@penstock/databases';
import type { ProfileColumn } from '../columns/profile-columns';
import { OTHERS } from '../merging/merge-identities';
import { type Place, qualified } from '../sql/names';
import { selectListed } from '../sql/listed';

/** What is cleared. */
export interface Cleared {
  readonly place: Place;
  /** Names of the columns. */
  readonly columns: readonly string[];
  /** All columns of the profile schema. */
  readonly all: readonly ProfileColumn[];
}

const timeIn = (name: string): string => `i."_PROPERTY_TIMES"[${snowflakeText(name)}]`;

/** SQL of the time of a column: whoever writes its value makes another one of it. */
const timeOf = (name: string): string =>
  `COALESCE(${timeIn(name)}::VARCHAR, ${timeIn(OTHERS)}::VARCHAR, '')`;

/** How many identities are looked at next, and the last of them. Binds: the pipeline, and the last one of the piece before. */
export const selectPiece = (place: Place, limit: number): string => `
  SELECT COUNT(*), MAX("_ID") FROM (
    SELECT "_ID" FROM ${qualified(place, '_IDENTITIES')} WHERE "_PIPELINE" = ? AND "_ID" > CAST(? AS NUMBER(38,0))
    ORDER BY "_ID" LIMIT ${String(limit)}) AS piece`;

/** Those that have a value in one of the columns, with their times. Binds: the pipeline, and the bounds of the piece. */
export const selectFilled = ({ place, columns }: Cleared): string => `
  SELECT ${['i."_ID"', ...columns.map(timeOf)].join(', ')} FROM ${qualified(place, '_IDENTITIES')} AS i
  WHERE i."_PIPELINE" = ? AND i."_ID" > CAST(? AS NUMBER(38,0)) AND i."_ID" <= CAST(? AS NUMBER(38,0))
    AND (${columns.map((name) => `i.${snowflakeName(name)} IS NOT NULL`).join(' OR ')})`;

/** SQL of times before every other one for the columns: whatever is written of them later is taken. */
const clearedTimes = ({ columns, all }: Cleared): string => {
  const members = [OTHERS, ...all.map(({ name }) => name)].map((name) => {
    const time = columns.includes(name)
      ? `CASE WHEN ${timeIn(OTHERS)} IS NOT NULL THEN '' END`
      : timeIn(name);
    return `${snowflakeText(name)}, ${time}`;
  });
  return `OBJECT_CONSTRUCT(${members.join(', ')})`;
};

/** SQL of the rows of a bind that are as they were looked at. */
const unchanged = ({ place, columns }: Cleared): string => {
  const names = columns.map((_, index) => `T${String(index)}`);
  const isSame = columns.map((name, index) => `${timeOf(name)} = g.T${String(index)}`);
  return `
    SELECT i."_ID" AS ID, i."_PROFILE_ID" AS PROFILE FROM ${qualified(place, '_IDENTITIES')} AS i
    JOIN ${selectListed('ID', ...names)} AS g ON i."_ID" = CAST(g.ID AS NUMBER(38,0)) WHERE ${isSame.join(' AND ')}`;
};

/** A statement that marks them as changed. Bind: what {@link selectFilled} has given. */
export const markCleared = (cleared: Cleared): string => `
  MERGE INTO ${qualified(cleared.place, '_DIRTY')} AS d USING (${unchanged(cleared)}) AS m ON d."IDENTITY" = m.ID
  WHEN NOT MATCHED THEN INSERT ("IDENTITY", "SINCE", "CHANGE", "PROFILE_ID")
  VALUES (m.ID, CURRENT_TIMESTAMP(), 'changed', m.PROFILE)`;

/** A statement that clears them. Bind: as of {@link markCleared}. */
export const clear = (cleared: Cleared): string => {
  const sets = [
    ...cleared.columns.map((name) => `${snowflakeName(name)} = NULL`),
    `"_PROPERTY_TIMES" = ${clearedTimes(cleared)}`,
  ];
  return `UPDATE ${qualified(cleared.place, '_IDENTITIES')} AS i SET ${sets.join(', ')}
          WHERE i."_ID" IN (SELECT m.ID FROM (${unchanged(cleared)}) AS m)`;
};
