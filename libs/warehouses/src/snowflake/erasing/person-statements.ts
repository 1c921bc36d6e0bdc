import { snowflakeText } from '@penstock/databases';
import { MAX_ERASED } from '../../platform/eraser';
import { connectionOf, isPlain, KINDS, OWNER, recordIdOf } from '../../resolving/keys';
import { markRemoved } from '../merging/mark-removed';
import { keyOfRecord } from '../resolving/identity-keys';
import { type Place, qualified } from '../sql/names';

/**
 * The table of the numbers of the identities that are erased, with the profile of those that have another one than the person.
 * Nobody but its session sees it, and it ends with it.
 */
const STAGE = '"_STAGE_ERASED"';

/** A statement that makes the table. Outside of a transaction, which it would commit. */
export const MAKE_STAGE = `CREATE TEMPORARY TABLE IF NOT EXISTS ${STAGE} ("IDENTITY" NUMBER(38,0), "PROFILE" VARCHAR)`;

/** SQL of those numbers. */
const STAGED = `(SELECT e."IDENTITY" FROM ${STAGE} AS e)`;

/** Whom the statements take out of the tables of identities and profiles. */
export interface Person {
  readonly place: Place;
  /** The profile, which was not absorbed. */
  readonly profile: string;
  /** Id of the erasure. */
  readonly erasure: string;
}

/** SQL of the ids of the profile, as `PROFILE`: its own, and those that it has absorbed. */
const names = ({ place, profile }: Person): string => `(
  SELECT ${snowflakeText(profile)} AS PROFILE
  UNION ALL SELECT "ALIAS" FROM ${qualified(place, '_PROFILE_ALIASES')}
  WHERE "PROFILE_ID" = ${snowflakeText(profile)})`;

/** Fills the table with the identities of the profile, and those that were purged since the last resolution, at most one too many. */
export const fillStage = (person: Person): string => {
  const { place, profile } = person;
  const identities = qualified(place, '_IDENTITIES');
  return `
    INSERT OVERWRITE INTO ${STAGE} ("IDENTITY")
    SELECT found.ID FROM (
      SELECT i."_ID" AS ID FROM ${identities} AS i WHERE i."_PROFILE_ID" = ${snowflakeText(profile)}
      UNION
      SELECT d."IDENTITY" AS ID FROM ${qualified(place, '_DIRTY')} AS d
      LEFT JOIN ${identities} AS i ON i."_ID" = d."IDENTITY"
      WHERE d."CHANGE" = 'removed' AND i."_ID" IS NULL
        AND d."PROFILE_ID" IN (SELECT n.PROFILE FROM ${names(person)} AS n)) AS found
    LIMIT ${String(MAX_ERASED + 1)}`;
};

/** SQL of a condition on identities, known as `i`, with anonymous ids that no key tells the owners of. */
const isWithoutKeys = ({ place }: Person): string => `
  NOT i."_ANONYMOUS" AND ARRAY_SIZE(i."_ANONYMOUS_IDS") > 0
  AND i."_ID" NOT IN (SELECT k."IDENTITY" FROM ${qualified(place, '_IDENTITY_KEYS')} AS k)`;

/** SQL of the identities that are erased, known as `i`. */
const erasedIdentities = ({ place }: Person): string =>
  `${STAGE} AS e JOIN ${qualified(place, '_IDENTITIES')} AS i ON i."_ID" = e."IDENTITY"`;

/** Counts the identities that {@link noteOwned} is for: there are some while everything is resolved anew. */
export const countWithoutKeys = (person: Person): string =>
  `SELECT COUNT(*) FROM ${erasedIdentities(person)} WHERE ${isWithoutKeys(person)}`;

const insertRecords = ({ place, erasure }: Person, records: string): string => `
  INSERT INTO ${qualified(place, '_ERASING')} ("ERASURE", "CONNECTION", "ANONYMOUS", "RECORD_ID")
  SELECT ${snowflakeText(erasure)}, r.CONNECTION, r.ANONYMOUS, r.RECORD FROM (${records}) AS r`;

/** SQL of anonymous ids that identities name, with who does and when. @param where on identities, known as `i` */
const named = (place: Place, where: string): string => `
  SELECT w.ID, w.CONNECTION, w.RECORD, f.KEY AS NAMED, f.VALUE::VARCHAR AS AT_TIME
  FROM (SELECT i."_ID" AS ID, i."_CONNECTION" AS CONNECTION, i."_RECORD_ID" AS RECORD,
               i."_ANONYMOUS_TIMES" AS TIMES
        FROM ${qualified(place, '_IDENTITIES')} AS i WHERE ${where}) AS w,
       LATERAL FLATTEN(INPUT => w.TIMES) AS f`;

/** Notes what the person was known by: the identities, and the records in their keys, which tell the anonymous ids that they own. */
export const noteRecords = (person: Person): string => {
  const { place } = person;
  const keys = `${qualified(place, '_IDENTITY_KEYS')} AS k`;
  const key = 'k."KEY"';
  return insertRecords(
    person,
    `SELECT i."_CONNECTION" AS CONNECTION, i."_ANONYMOUS" AS ANONYMOUS, i."_RECORD_ID" AS RECORD
     FROM ${erasedIdentities(person)}
     UNION
     SELECT n.CONNECTION, TRUE, n.NAMED
     FROM (${named(place, `i."_ID" IN ${STAGED}`)}) AS n
     JOIN ${keys} ON k."IDENTITY" = n.ID AND k."KIND" = '${KINDS.anonymous}'
       AND k."KEY" = ${keyOfRecord('n.CONNECTION', 'n.NAMED')} AND k."MASK" = ${String(OWNER)}
     UNION
     SELECT ${connectionOf(key)}, k."KIND" = '${KINDS.anonymous}', ${recordIdOf(key)}
     FROM ${STAGE} AS e JOIN ${keys} ON k."IDENTITY" = e."IDENTITY"
     WHERE k."KIND" IN ('${KINDS.known}', '${KINDS.anonymous}') AND ${isPlain(key)}`,
  );
};

/** Notes the anonymous ids of identities without keys that they were the first to name: all identities are looked through. */
export const noteOwned = (person: Person): string => {
  const { place, erasure } = person;
  const ofErased = `i."_ID" IN ${STAGED} AND ${isWithoutKeys(person)}`;
  return insertRecords(
    person,
    `SELECT o.CONNECTION AS CONNECTION, TRUE AS ANONYMOUS, o.NAMED AS RECORD
     FROM (SELECT n.* FROM (${named(place, 'NOT i."_ANONYMOUS"')}) AS n
           JOIN (SELECT DISTINCT c.CONNECTION, c.NAMED FROM (${named(place, ofErased)}) AS c) AS c
             ON c.CONNECTION = n.CONNECTION AND c.NAMED = n.NAMED
           QUALIFY ROW_NUMBER() OVER (
             PARTITION BY n.CONNECTION, n.NAMED ORDER BY n.AT_TIME, n.RECORD, n.ID) = 1) AS o
     JOIN ${STAGE} AS e ON e."IDENTITY" = o.ID
     LEFT JOIN ${qualified(place, '_ERASING')} AS g
       ON g."ERASURE" = ${snowflakeText(erasure)} AND g."CONNECTION" = o.CONNECTION
          AND g."ANONYMOUS" AND g."RECORD_ID" = o.NAMED
     WHERE g."PLACE" IS NULL`,
  );
};

/** SQL of what the person was known by, as the columns `CONNECTION`, `ANONYMOUS` and `RECORD_ID`. */
const noted = ({ place, erasure }: Person): string => `
  SELECT g."CONNECTION", g."ANONYMOUS", g."RECORD_ID" FROM ${qualified(place, '_ERASING')} AS g
  WHERE g."ERASURE" = ${snowflakeText(erasure)}`;

/**
 * Adds those of the same records to the table that were written since the last resolution, and those that have another profile,
 * as while everything is resolved anew.
 */
export const fillOthers = (person: Person): string => `
  INSERT INTO ${STAGE} ("IDENTITY", "PROFILE")
  SELECT i."_ID", i."_PROFILE_ID" FROM ${qualified(person.place, '_IDENTITIES')} AS i
  JOIN (${noted(person)}) AS g ON g."CONNECTION" = i."_CONNECTION"
    AND g."ANONYMOUS" = i."_ANONYMOUS" AND g."RECORD_ID" = i."_RECORD_ID"
  WHERE i."_ID" NOT IN ${STAGED}`;

/**
 * Deletes what was kept for the resolution of the identities. The keys of those that have another profile stay: by them the
 * resolution finds what that one loses.
 */
export const deleteMarks = (person: Person): readonly string[] => [
  ...['_IDENTITY_KEYS', '_DIRTY'].map(
    (name) =>
      `DELETE FROM ${qualified(person.place, name)}
       WHERE "IDENTITY" IN (SELECT e."IDENTITY" FROM ${STAGE} AS e WHERE e."PROFILE" IS NULL)`,
  ),
  markRemoved(
    person.place,
    `SELECT e."IDENTITY" AS ID, e."PROFILE" AS PROFILE FROM ${STAGE} AS e WHERE e."PROFILE" IS NOT NULL`,
  ),
  `DELETE FROM ${qualified(person.place, '_MOVING')}
   WHERE ("CONNECTION", "ANONYMOUS", "RECORD_ID") IN (${noted(person)})`,
];

export const deleteIdentities = (person: Person): string =>
  `DELETE FROM ${qualified(person.place, '_IDENTITIES')} WHERE "_ID" IN ${STAGED}`;

/** Keeps the ids of the profile: what was recorded of it and is not published yet will not come into its history either. */
export const keepNames = (person: Person): string => `
  MERGE INTO ${qualified(person.place, '_ERASED_PROFILES')} AS t USING ${names(person)} AS n
  ON t."PROFILE_ID" = n.PROFILE
  WHEN NOT MATCHED THEN INSERT ("PROFILE_ID", "ERASURE")
  VALUES (n.PROFILE, ${snowflakeText(person.erasure)})`;

export const deleteHistory = (person: Person): string => `
  DELETE FROM ${qualified(person.place, '_PROFILE_HISTORY')}
  WHERE "PROFILE_ID" IN (SELECT n.PROFILE FROM ${names(person)} AS n)`;

export const deleteAliases = ({ place, profile }: Person): string =>
  `DELETE FROM ${qualified(place, '_PROFILE_ALIASES')} WHERE "PROFILE_ID" = ${snowflakeText(profile)}`;

/** Records that the profile is gone, where there is one. */
export const recordDeletion = ({ place, profile }: Person): string => `
  INSERT INTO ${qualified(place, '_OUTBOX')} ("PROFILE_ID", "FACT", "AT")
  SELECT p."_PROFILE_ID",
         OBJECT_CONSTRUCT('type', 'ProfileDeleted', 'id', p."_PROFILE_ID", 'reason', 'erased'),
         CURRENT_TIMESTAMP()
  FROM ${qualified(place, '_PROFILES')} AS p WHERE p."_PROFILE_ID" = ${snowflakeText(profile)}`;

export const deleteProfile = ({ place, profile }: Person): string =>
  `DELETE FROM ${qualified(place, '_PROFILES')} WHERE "_PROFILE_ID" = ${snowflakeText(profile)}`;
