import { qualified } from '../sql/names';
import type { Batch } from './batch';

/** A moment by the server's clock, in microseconds since 1970, as SQL. */
export const microseconds = (moment: string): string => `DATE_PART(EPOCH_MICROSECOND, ${moment})`;

/** SQL of whether something was marked up to a time of {@link microseconds}. */
const isMarked = (until: string): string => `${microseconds('"SINCE"')} <= ${until}`;

/**
 * Takes the identities that were changed first, and with them those that were changed of the same profiles, so that no
 * profile is taken apart by halves. Those without keys were taken apart before.
 *
 * @param until the time of the newest marks that are taken, but for those of the same profiles.
 * @returns how many they are.
 */
export const takeDirty = (batch: Batch, limit: number, until: string): Promise<number> => {
  const table = (name: string): string => qualified(batch.place, name);
  const columns = 'd."IDENTITY" AS IDENTITY, i."_ID" AS ID, i."_PROFILE_ID" AS PROFILE';
  return batch.fill(
    'taken',
    `WITH oldest AS (
       SELECT ${columns}, d."PROFILE_ID" AS FORMER
       FROM (SELECT "IDENTITY", "PROFILE_ID" FROM ${table('_DIRTY')} WHERE ${isMarked(until)}
             ORDER BY "SINCE", "IDENTITY" LIMIT ${String(limit)}) AS d
       LEFT JOIN ${table('_IDENTITIES')} AS i ON i."_ID" = d."IDENTITY"),
     named AS (
       SELECT o.IDENTITY, o.ID IS NULL AS IS_GONE,
              IFF(o.ID IS NULL, COALESCE(a."PROFILE_ID", o.FORMER), o.PROFILE) AS PROFILE
       FROM oldest AS o LEFT JOIN ${table('_PROFILE_ALIASES')} AS a ON a."ALIAS" = o.FORMER),
     whole AS (
       SELECT IDENTITY, IS_GONE, PROFILE FROM named
       UNION
       SELECT i."_ID", FALSE, i."_PROFILE_ID"
       FROM (SELECT DISTINCT PROFILE FROM named WHERE PROFILE IS NOT NULL) AS p
       JOIN ${table('_IDENTITIES')} AS i ON i."_PROFILE_ID" = p.PROFILE
       JOIN ${table('_DIRTY')} AS d ON d."IDENTITY" = i."_ID")
     SELECT w.IDENTITY, w.IS_GONE, k.IDENTITY IS NOT NULL, w.PROFILE
     FROM whole AS w LEFT JOIN (
       SELECT DISTINCT k."IDENTITY" AS IDENTITY FROM ${table('_IDENTITY_KEYS')} AS k
       JOIN whole AS o ON o.IDENTITY = k."IDENTITY") AS k ON k.IDENTITY = w.IDENTITY`,
  );
};

/** Removes the marks of what was taken: nobody has added one meanwhile. */
export const removeMarks = async (batch: Batch): Promise<void> => {
  await batch.write(
    `DELETE FROM ${qualified(batch.place, '_DIRTY')}
     WHERE "IDENTITY" IN (SELECT IDENTITY FROM ${batch.tables.taken})`,
  );
};

/** Whether no identity was marked up to this time, and no event is to get another profile. */
export const isNothingLeft = async (batch: Batch, until: string): Promise<boolean> => {
  const [left] = await batch.numbers(
    `SELECT (SELECT COUNT(*) FROM ${qualified(batch.place, '_DIRTY')} WHERE ${isMarked(until)})
            + (SELECT COUNT(*) FROM ${qualified(batch.place, '_MOVING')})`,
  );
  return left === 0;
};
