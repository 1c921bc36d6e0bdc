import { kindOfRecord, OWNER } from '../../resolving/keys';
import { type Place, qualified } from '../sql/names';
import { keyOfRecord } from './identity-keys';

/** SQL of what an identity is known by in events. */
interface RecordSql {
  readonly connection: string;
  readonly recordId: string;
  readonly isAnonymous: string;
}

/**
 * SQL of a join that gives records the profile of their identity, where it has one that is resolved, as `p.PROFILE`. An
 * identity of each key is as good as the others: all of them have the same profile.
 */
export const joinProfileOfRecord = (
  place: Place,
  { connection, recordId, isAnonymous }: RecordSql,
): string => `
    LEFT JOIN (
      SELECT k."KIND" AS KIND, k."KEY" AS RECORD, MIN(i."_PROFILE_ID") AS PROFILE
      FROM ${qualified(place, '_IDENTITY_KEYS')} AS k
      JOIN ${qualified(place, '_IDENTITIES')} AS i ON i."_ID" = k."IDENTITY"
      WHERE k."MASK" <> ${String(OWNER)} AND i."_PROFILE_ID" IS NOT NULL GROUP BY k."KIND", k."KEY") AS p
    ON p.KIND = ${kindOfRecord(isAnonymous)}
       AND p.RECORD = ${keyOfRecord(connection, recordId)}`;

/** As {@link joinProfileOfRecord}, for events. @param event whose columns are those of events. */
export const joinProfile = (place: Place, event: string): string =>
  joinProfileOfRecord(place, {
    connection: `${event}."CONNECTION_ID"`,
    recordId: `COALESCE(${event}."USER_ID", ${event}."ANONYMOUS_ID")`,
    isAnonymous: `${event}."USER_ID" IS NULL`,
  });
