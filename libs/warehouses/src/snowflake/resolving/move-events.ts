import { EVENTS_TABLE } from '../layout/events-table';
import { type Place, qualified } from '../sql/names';
import { changedRows } from '../sql/transaction';
import type { Execute } from './batch';
import { isOfRecord, RECORD } from './note-moved';
import { joinProfileOfRecord } from './profile-of-event';

/** The most that one transaction moves. */
interface PieceLimits {
  /** Identities whose events are looked at. */
  readonly identities: number;
  readonly events: number;
}

/** All events are read for a piece, and other writers wait for it: as many identities as a batch has, and a bounded time. */
const PIECE: PieceLimits = { identities: 50_000, events: 200_000 };

/** SQL of the first identities whose events are to be moved. */
const selectFirst = (place: Place, { identities }: PieceLimits): string =>
  `SELECT ${RECORD.join(', ')} FROM ${qualified(place, '_MOVING')}
   ORDER BY ${RECORD.join(', ')} LIMIT ${String(identities)}`;

/** A statement that gives events of those identities the profile that the identity has by now: not all where they are too many. */
const updateEvents = (place: Place, limits: PieceLimits): string => {
  const events = qualified(place, EVENTS_TABLE.name);
  const profiles = joinProfileOfRecord(place, {
    ...{ connection: 'm."CONNECTION"', recordId: 'm."RECORD_ID"', isAnonymous: 'm."ANONYMOUS"' },
  });
  return `
    UPDATE ${events} AS t SET "PROFILE_ID" = f.PROFILE
    FROM (SELECT e."CONNECTION_ID" AS OF_CONNECTION, e."MESSAGE_ID" AS MESSAGE, n.PROFILE
          FROM (SELECT ${RECORD.map((name) => `m.${name}`).join(', ')}, p.PROFILE
                FROM (${selectFirst(place, limits)}) AS m ${profiles}) AS n
          JOIN ${events} AS e ON ${isOfRecord('e', 'n')}
          WHERE e."PROFILE_ID" IS DISTINCT FROM n.PROFILE
          LIMIT ${String(limits.events)}) AS f
    WHERE t."CONNECTION_ID" = f.OF_CONNECTION AND t."MESSAGE_ID" = f.MESSAGE`;
};

/** A statement that removes those identities from `_MOVING`. */
const removeFirst = (place: Place, limits: PieceLimits): string => {
  const isSame = RECORD.map((name) => `m.${name} = f.${name}`).join(' AND ');
  return `MERGE INTO ${qualified(place, '_MOVING')} AS m USING (${selectFirst(place, limits)}) AS f
          ON ${isSame} WHEN MATCHED THEN DELETE`;
};

/**
 * Gives events of the first identities in `_MOVING` their profiles, and removes the identities from there unless events are left:
 * it goes on with the same identities next time. Within a transaction that has the lock of the warehouse.
 */
export const movePiece = async (
  execute: Execute,
  place: Place,
  limits: PieceLimits = PIECE,
): Promise<void> => {
  const moved = changedRows(await execute(updateEvents(place, limits)));
  if (moved < limits.events) await execute(removeFirst(place, limits));
};

/** SQL of how many identities have events that are to be moved. */
export const selectMoving = (place: Place): string =>
  `SELECT COUNT(*) FROM ${qualified(place, '_MOVING')}`;
