import { type Place, qualified } from '../sql/names';

/** Identities of one piece: each rewrites what their keys are stored with. */
const APART_AT_ONCE = 50_000;

/** SQL of the last identity of the next piece in the order of their ids; null at the end. Bind: the last one of the piece before. */
export const selectLast = (place: Place, limit = APART_AT_ONCE): string => `
  SELECT MAX("_ID") FROM (
    SELECT "_ID" FROM ${qualified(place, '_IDENTITIES')} WHERE "_ID" > CAST(? AS NUMBER(38,0))
    ORDER BY "_ID" LIMIT ${String(limit)}) AS piece`;

const IN_PIECE = `i."_ID" > CAST(? AS NUMBER(38,0)) AND i."_ID" <= CAST(? AS NUMBER(38,0))`;

/**
 * Statements that mark the identities of a piece as changed, and delete their keys. Those of identities that are gone stay, as they
 * tell whose events they had. To repeat them changes nothing. Binds of each: the bounds of the piece.
 */
export const takeApartPiece = (place: Place): readonly string[] => {
  const identities = qualified(place, '_IDENTITIES');
  return [
    `MERGE INTO ${qualified(place, '_DIRTY')} AS d
     USING (SELECT i."_ID" AS ID, i."_PROFILE_ID" AS PROFILE FROM ${identities} AS i WHERE ${IN_PIECE}) AS p
     ON d."IDENTITY" = p.ID
     WHEN NOT MATCHED THEN INSERT ("IDENTITY", "SINCE", "CHANGE", "PROFILE_ID")
     VALUES (p.ID, CURRENT_TIMESTAMP(), 'changed', p.PROFILE)`,
    `DELETE FROM ${qualified(place, '_IDENTITY_KEYS')}
     WHERE "IDENTITY" IN (SELECT i."_ID" FROM ${identities} AS i WHERE ${IN_PIECE})`,
  ];
};

/**
 * A statement that has profiles looked into that no identity has any more, as after the table of the identities was lost: each
 * is marked as if an identity of it had been removed, by a number below zero, which none has. To repeat it changes nothing.
 */
export const markEmptyProfiles = (place: Place): string => {
  const table = (name: string): string => qualified(place, name);
  return `
    INSERT INTO ${table('_DIRTY')} ("IDENTITY", "SINCE", "CHANGE", "PROFILE_ID")
    SELECT LEAST(0, (SELECT COALESCE(MIN("IDENTITY"), 0) FROM ${table('_DIRTY')}))
             - ROW_NUMBER() OVER (ORDER BY p."_PROFILE_ID"),
           CURRENT_TIMESTAMP(), 'removed', p."_PROFILE_ID"
    FROM ${table('_PROFILES')} AS p
    LEFT JOIN (SELECT DISTINCT "_PROFILE_ID" AS PROFILE FROM ${table('_IDENTITIES')}) AS i ON i.PROFILE = p."_PROFILE_ID"
    LEFT JOIN (SELECT DISTINCT "PROFILE_ID" AS PROFILE FROM ${table('_DIRTY')}) AS d ON d.PROFILE = p."_PROFILE_ID"
    WHERE i.PROFILE IS NULL AND d.PROFILE IS NULL`;
};
