import { qualified } from '../sql/names';
import { KINDS, keyOfRecord, OWNER } from './identity-keys';

/** SQL of what an identity is known by in events. */
interface RecordSql {
  readonly connection: string;
  readonly recordId: string;
  readonly isAnonymous: string;
}

/** SQL of the profile of the identity of a record, where it has one that is resolved. */
export const profileOfRecord = (
  schema: string,
  { connection, recordId, isAnonymous }: RecordSql,
): string => `
  (SELECT i._profile_id
   FROM ${qualified(schema, '_identity_keys')} AS k
   JOIN ${qualified(schema, '_identities')} AS i ON i._id = k.identity
   WHERE k.kind = CASE WHEN ${isAnonymous} THEN '${KINDS.anonymous}' ELSE '${KINDS.known}' END
     AND k.key = ${keyOfRecord(connection, recordId)}
     AND k.mask <> ${OWNER} AND i._profile_id IS NOT NULL
   LIMIT 1)`;

/** SQL of the profile of an event that is being written. */
export const profileOfEvent = (schema: string, event: string): string =>
  profileOfRecord(schema, {
    connection: `${event}.connection_id`,
    recordId: `coalesce(${event}.user_id, ${event}.anonymous_id)`,
    isAnonymous: `${event}.user_id IS NULL`,
  });

/**
 * SQL of whether an event is of a record. A range of one text, and not `=`: by statistics of a time when few had sent events
 * `=` selects nearly all of a connection, and the server would go through those rather than along the index of the column.
 */
export const isOfRecord = (column: string, recordId: string): string =>
  `${column} >= ${recordId} AND ${column} <= ${recordId}`;
