import { type Place, qualified } from '../sql/names';
import { keyOfRecord, KINDS, OWNER } from './identity-keys';

/**
 * SQL of a join that gives events the profile of the identity of their record, where it has one that is resolved, as
 * `p.PROFILE`. An identity of each key is as good as the others: all of them have the same profile.
 *
 * @param event whose columns are those of events.
 */
export const joinProfile = (place: Place, event: string): string => {
  const record = `COALESCE(${event}."USER_ID", ${event}."ANONYMOUS_ID")`;
  return `
    LEFT JOIN (
      SELECT k."KIND" AS KIND, k."KEY" AS RECORD, MIN(i."_PROFILE_ID") AS PROFILE
      FROM ${qualified(place, '_IDENTITY_KEYS')} AS k
      JOIN ${qualified(place, '_IDENTITIES')} AS i ON i."_ID" = k."IDENTITY"
      WHERE k."MASK" <> ${String(OWNER)} AND i."_PROFILE_ID" IS NOT NULL GROUP BY k."KIND", k."KEY") AS p
    ON p.KIND = CASE WHEN ${event}."USER_ID" IS NULL THEN '${KINDS.anonymous}' ELSE '${KINDS.known}' END
       AND p.RECORD = ${keyOfRecord(`${event}."CONNECTION_ID"`, record)}`;
};
