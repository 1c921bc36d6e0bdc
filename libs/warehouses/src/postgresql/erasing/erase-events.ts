import { escapeLiteral } from 'pg';
import { EVENTS_TABLE } from '../layout/events-table';
import { eventsOfRecord } from '../resolving/profile-of-event';
import { qualified } from '../sql/names';

/** The most that one transaction deletes. */
interface PieceLimits {
  /** Records whose events are looked for. */
  readonly records: number;
  readonly events: number;
}

/** A piece takes about a second. Nobody waits for it, but for whoever takes the erasure over. */
export const PIECE: PieceLimits = { records: 1_000, events: 10_000 };

/** SQL of the first records of an erasure whose events may be left. */
export const selectNext = (schema: string, erasure: string, limit: number): string => `
  SELECT place, connection, anonymous, record_id FROM ${qualified(schema, '_erasing')}
  WHERE erasure = ${escapeLiteral(erasure)} ORDER BY place LIMIT ${limit}`;

/**
 * A statement that deletes events of the first records of an erasure, counts them, and forgets the records of which none is
 * left. Where it ends for the number of events, it goes on with the same record next time. Nobody need be kept out: events of
 * those records are not written any more. Where somebody else changes some of the events meanwhile, it goes on with the same
 * records, too.
 *
 * @returns SQL whose result has the counts of the erasure, and `isLast`: whether no record is left.
 */
export const eraseEventsPiece = (schema: string, erasure: string, limits: PieceLimits): string => {
  const [erasing, events] = [qualified(schema, '_erasing'), qualified(schema, EVENTS_TABLE.name)];
  const isOfIt = `erasure = ${escapeLiteral(erasure)}`;
  // OFFSET 0 has the records gone through one by one, in their order, until there are events enough.
  return `
    WITH next AS MATERIALIZED (${selectNext(schema, erasure, limits.records)}),
    found AS MATERIALIZED (
      SELECT n.place, e.at
      FROM (SELECT * FROM next ORDER BY place OFFSET 0) AS n
      CROSS JOIN LATERAL (${eventsOfRecord(events)} OFFSET 0) AS e
      ORDER BY n.place LIMIT ${limits.events}),
    gone AS (
      DELETE FROM ${events} AS e USING found AS f WHERE e.ctid = f.at RETURNING 1),
    ended AS (
      DELETE FROM ${erasing} AS e USING next AS n
      WHERE e.place = n.place
        AND ((SELECT count(*) FROM found) < ${limits.events} OR n.place < (SELECT max(place) FROM found))
        AND (SELECT count(*) FROM gone) = (SELECT count(*) FROM found)
      RETURNING 1)
    UPDATE ${qualified(schema, '_erasures')} SET events = events + (SELECT count(*) FROM gone)
    WHERE ${isOfIt}
    RETURNING profiles::float8 AS profiles, identities::float8 AS identities, history::float8 AS history,
      events::float8 AS events, (SELECT count(*) FROM ended) = (
        SELECT count(*) FROM (SELECT FROM ${erasing} WHERE ${isOfIt} LIMIT ${limits.records + 1}) AS left_over)
        AS "isLast"`;
};
