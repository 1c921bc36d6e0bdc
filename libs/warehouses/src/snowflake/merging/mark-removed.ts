import { type Place, qualified } from '../sql/names';

/**
 * A statement that marks identities as removed, before they are.
 *
 * @param gone SQL of their numbers and profiles, as `ID` and `PROFILE`.
 */
export const markRemoved = (place: Place, gone: string): string => `
  MERGE INTO ${qualified(place, '_DIRTY')} AS d USING (${gone}) AS g ON d."IDENTITY" = g.ID
  WHEN MATCHED THEN UPDATE SET "CHANGE" = 'removed', "PROFILE_ID" = g.PROFILE
  WHEN NOT MATCHED THEN INSERT ("IDENTITY", "SINCE", "CHANGE", "PROFILE_ID")
  VALUES (g.ID, CURRENT_TIMESTAMP(), 'removed', g.PROFILE)`;

/** A statement that deletes those identities. */
export const deleteGone = (place: Place, gone: string): string =>
  `DELETE FROM ${qualified(place, '_IDENTITIES')} WHERE "_ID" IN (SELECT g.ID FROM (${gone}) AS g)`;
