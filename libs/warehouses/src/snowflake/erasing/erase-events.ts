import { snowflakeText } from '@penstock/databases';
import { EVENTS_TABLE } from '../layout/events-table';
import { isOfRecord } from '../resolving/note-moved';
import { type Place, qualified } from '../sql/names';

/** The most that one transaction deletes. */
export const PIECE = { records: 1_000, events: 10_000 } as const;

/** An erasure in a warehouse. */
export interface ErasurePlace {
  readonly place: Place;
  /** Its id. */
  readonly erasure: string;
}

const isOfIt = ({ erasure }: ErasurePlace): string => `g."ERASURE" = ${snowflakeText(erasure)}`;

/**
 * SQL of records of an erasure, in their order.
 *
 * @param after the place of the record before the first.
 */
export const selectRecords = (of: ErasurePlace, after: string, limit: number): string => `
  SELECT g."PLACE", g."CONNECTION", g."ANONYMOUS", g."RECORD_ID"
  FROM ${qualified(of.place, '_ERASING')} AS g
  WHERE ${isOfIt(of)} AND g."PLACE" > ${String(BigInt(after))}
  ORDER BY g."PLACE" LIMIT ${String(limit)}`;

/** SQL of whether an event, known as `e`, is of a record, known as `n`. */
const IS_OF_RECORD = isOfRecord('e', 'n');

/** Counts the events of each of the first records of an erasure, in their order. */
export const countEvents = (of: ErasurePlace): string => `
  SELECT n."PLACE", COUNT(e."MESSAGE_ID") FROM (${selectRecords(of, '0', PIECE.records)}) AS n
  LEFT JOIN ${qualified(of.place, EVENTS_TABLE.name)} AS e ON ${IS_OF_RECORD}
  GROUP BY n."PLACE" ORDER BY n."PLACE"`;

/** Deletes events of the records of an erasure up to a place. */
export const deleteEvents = (of: ErasurePlace, upTo: string): string => {
  const events = qualified(of.place, EVENTS_TABLE.name);
  return `
    DELETE FROM ${events} WHERE ("CONNECTION_ID", "MESSAGE_ID") IN (
      SELECT f.CONNECTION, f.MESSAGE FROM (
        SELECT e."CONNECTION_ID" AS CONNECTION, e."MESSAGE_ID" AS MESSAGE
        FROM (${selectRecords(of, '0', PIECE.records)}) AS n JOIN ${events} AS e ON ${IS_OF_RECORD}
        WHERE n."PLACE" <= ${String(BigInt(upTo))}
        ORDER BY n."PLACE", e."MESSAGE_ID" LIMIT ${String(PIECE.events)}) AS f)`;
};

/** Forgets the records of an erasure up to a place. */
export const deleteRecords = ({ place, erasure }: ErasurePlace, upTo: string): string =>
  `DELETE FROM ${qualified(place, '_ERASING')}
   WHERE "ERASURE" = ${snowflakeText(erasure)} AND "PLACE" <= ${String(BigInt(upTo))}`;

export const countErased = ({ place, erasure }: ErasurePlace, events: number): string =>
  `UPDATE ${qualified(place, '_ERASURES')} SET "EVENTS" = "EVENTS" + ${String(events)}
   WHERE "ERASURE" = ${snowflakeText(erasure)}`;

/** What an erasure has deleted, and how many records are left. */
export const selectErasure = (of: ErasurePlace): string => `
  SELECT s."PROFILES", s."IDENTITIES", s."HISTORY", s."EVENTS",
         (SELECT COUNT(*) FROM ${qualified(of.place, '_ERASING')} AS g WHERE ${isOfIt(of)})
  FROM ${qualified(of.place, '_ERASURES')} AS s WHERE s."ERASURE" = ${snowflakeText(of.erasure)}`;

/** How far a piece goes. */
interface Reach {
  /** The place of the last record whose events it deletes. */
  readonly upTo: string;
  /** The place of the last record of which no event is left then; undefined: there is none. */
  readonly ended: string | undefined;
}

/**
 * Decides how far a piece goes: as many whole records as the number of events has room for, else a part of the first one.
 *
 * @param counts rows of {@link countEvents}.
 * @returns undefined when there is no record.
 */
export const reachOf = (counts: readonly (readonly (string | null)[])[]): Reach | undefined => {
  const [first] = counts;
  if (first === undefined) return undefined;
  let ended: string | undefined;
  let sum = 0;
  for (const [place, events] of counts) {
    sum += Number(events);
    if (sum > PIECE.events) break;
    ended = String(place);
  }
  return { upTo: ended ?? String(first[0]), ended };
};
