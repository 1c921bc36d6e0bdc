import { EVENTS_TABLE } from '../layout/events-table';
import { qualified } from '../sql/names';
import { eventsOfRecord, profileOfRecord } from './profile-of-event';

/** The most that one transaction moves. */
interface PieceLimits {
  /** Identities whose events are looked at. */
  readonly identities: number;
  readonly events: number;
}

/** A piece takes about a second. Nobody waits for it, but for whoever takes the resolution over. */
export const PIECE: PieceLimits = { identities: 1_000, events: 10_000 };

/**
 * A statement that gives events of the first identities in `_moving` the profile that the identity has by now, and removes
 * from there the identities of which none is left. Where it ends for the number of events, it goes on with the same identity
 * next time. Nobody need be kept out: events that are written since the identity was noted have its profile already. Where
 * somebody else changes some of the events meanwhile, it goes on with the same identities, too.
 *
 * @returns SQL whose result has `isLast`: whether nothing is left.
 */
export const movePiece = (schema: string, limits: PieceLimits): string => {
  const [moving, events] = [qualified(schema, '_moving'), qualified(schema, EVENTS_TABLE.name)];
  const profile = profileOfRecord(schema, {
    ...{ connection: 'm.connection', recordId: 'm.record_id', isAnonymous: 'm.anonymous' },
  });
  // OFFSET 0 has the identities gone through one by one, in their order, until there are events enough.
  return `
    WITH next AS MATERIALIZED (
      SELECT *, row_number() OVER (ORDER BY connection, anonymous, record_id) AS place
      FROM (SELECT * FROM ${moving}
            ORDER BY connection, anonymous, record_id LIMIT ${limits.identities}) AS first),
    found AS MATERIALIZED (
      SELECT n.place, n.profile, e.at
      FROM (SELECT m.*, ${profile} AS profile FROM next AS m ORDER BY place OFFSET 0) AS n
      CROSS JOIN LATERAL (${eventsOfRecord(events, 'e.profile_id IS DISTINCT FROM n.profile')} OFFSET 0) AS e
      ORDER BY n.place LIMIT ${limits.events}),
    moved AS (
      UPDATE ${events} AS e SET profile_id = f.profile FROM found AS f WHERE e.ctid = f.at
      RETURNING 1),
    ended AS (
      DELETE FROM ${moving} AS m USING next AS n
      WHERE m.connection = n.connection AND m.anonymous = n.anonymous AND m.record_id = n.record_id
        AND ((SELECT count(*) FROM found) < ${limits.events} OR n.place < (SELECT max(place) FROM found))
        AND (SELECT count(*) FROM moved) = (SELECT count(*) FROM found)
      RETURNING 1)
    SELECT (SELECT count(*) FROM ended)
           = (SELECT count(*) FROM (SELECT FROM ${moving} LIMIT ${limits.identities + 1}) AS left_over) AS "isLast"`;
};
