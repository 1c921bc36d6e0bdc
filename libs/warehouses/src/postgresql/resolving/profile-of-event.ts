import { EVENTS_TABLE } from '../layout/events-table';
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

/*
 * Events are looked up in the order of the index that finds them: by statistics of a time when there were few, any index of a
 * connection finds as few, and all events of the connection would be gone through for each record. (The server forgets an order
 * within EXISTS.)
 */

/** SQL of whether an event is of a record. */
const isOfRecord = (column: string, record: string): string =>
  `e.connection_id = ${record}.connection AND ${column} >= ${record}.record_id AND ${column} <= ${record}.record_id`;

/**
 * SQL of whether there are events of a record, known by this name. Those of somebody who is known have an anonymous id, too.
 */
export const hasEvents = (schema: string, record: string): string => {
  const first = (column: string): string =>
    `(SELECT true FROM ${qualified(schema, EVENTS_TABLE.name)} AS e WHERE ${isOfRecord(column, record)}
      ORDER BY ${column} LIMIT 1)`;
  return `CASE WHEN ${record}.anonymous THEN ${first('e.anonymous_id')} ELSE ${first('e.user_id')} END`;
};

/**
 * SQL of the places (`at`) of the events of one record, known as `n`: those of a user, and those of nobody with an anonymous id.
 * A place is found in one way only, unlike the key of an event.
 *
 * @param isWanted a further condition on an event `e`.
 */
export const eventsOfRecord = (events: string, isWanted = 'true'): string => {
  const select = (isOfIt: string, column: string): string => `
    (SELECT e.ctid AS at FROM ${events} AS e WHERE ${isOfIt} AND ${isOfRecord(column, 'n')} AND ${isWanted}
     ORDER BY ${column})`;
  const ofUser = select('NOT n.anonymous', 'e.user_id');
  return `${ofUser} UNION ALL ${select('n.anonymous AND e.user_id IS NULL', 'e.anonymous_id')}`;
};
