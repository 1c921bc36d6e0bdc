import { EVENT_SCHEMA } from '@penstock/contracts';
import { compileFilter, type Filter, filterPaths } from '@penstock/filters';
import type { EventsPage, EventsWanted, StoredEvent } from '../../platform/event-reads';
import { EVENT_COLUMNS } from '../writing/event-columns';
import type { ValueColumn } from '../columns/profile-columns';
import { eventFilter } from './event-filter';
import { MAX_PAGE_BYTES } from './max-page-bytes';
import type { Row } from './rows';
import { type EventsPiece, selectEvents } from './select-events';
import { storedEvent } from './stored-event';

/** Events of one statement where they are checked here. */
const PIECE = 500;
/** Bytes of them: less than an answer of the database may have. */
const MAX_PIECE_BYTES = 3_000_000;
/** Events that are checked for one page, and milliseconds after which no further ones are read. */
const MAX_CHECKED = 10_000;
const MAX_CHECKING_MS = 5_000;

/** Executes a statement. */
type Execute = (statement: string) => Promise<readonly Row[]>;

const columnsFor = (
  { properties }: EventsWanted,
  checking: Filter | null,
): readonly ValueColumn[] => {
  const wanted = properties.properties.map(({ name }) => name);
  const checked = checking === null ? [] : filterPaths(checking).map((path) => path.split('.')[0]);
  const names = new Set<string | undefined>([...wanted, ...checked]);
  return EVENT_COLUMNS.filter(({ path }) => names.has(path[0]));
};

const bytesOf = (row: Row): number =>
  (row['values'] as readonly (string | null)[]).reduce(
    (bytes, value) => bytes + (value?.length ?? 0),
    0,
  );

/** What one statement has read. */
interface Piece {
  readonly events: readonly StoredEvent[];
  readonly bytes: readonly number[];
  readonly isLast: boolean;
}

const pieceReader =
  (schema: string, wanted: EventsWanted, execute: Execute, columns: readonly ValueColumn[]) =>
  async (piece: Omit<EventsPiece, 'columns'>): Promise<Piece> => {
    const rows = await execute(selectEvents(schema, wanted, { ...piece, columns }));
    return {
      events: rows.map(storedEvent(columns)),
      bytes: rows.map(bytesOf),
      isLast: (rows[0]?.['found'] ?? 0) === rows.length,
    };
  };

type ReadPiece = ReturnType<typeof pieceReader>;

/** Those of a piece that match, as many as a page has room for; and where the page ends, when it does. */
const taken = (
  { events, bytes }: Piece,
  matches: (event: StoredEvent['event']) => boolean,
  room: { events: number; bytes: number },
): { readonly events: readonly StoredEvent[]; readonly end: number | undefined } => {
  const found: StoredEvent[] = [];
  for (const [index, event] of events.entries()) {
    if (!matches(event.event)) continue;
    found.push(event);
    room.events -= 1;
    room.bytes -= bytes[index] ?? 0;
    if (room.events === 0 || room.bytes <= 0) return { events: found, end: index };
  }
  return { events: found, end: undefined };
};

/** Reads piece by piece until a page is full, or enough was looked at. */
const checkedPage = async (
  { limit, after: first }: EventsWanted,
  { selecting, checking }: { readonly selecting: Filter | null; readonly checking: Filter },
  read: ReadPiece,
): Promise<EventsPage> => {
  const { matches } = compileFilter(checking, EVENT_SCHEMA);
  const room = { events: limit, bytes: MAX_PAGE_BYTES };
  const found: StoredEvent[] = [];
  const until = performance.now() + MAX_CHECKING_MS;
  let after = first;
  for (let checked = 0; checked < MAX_CHECKED && performance.now() < until;) {
    const piece = await read({ selecting, after, limit: PIECE, maxBytes: MAX_PIECE_BYTES });
    const { events, end } = taken(piece, matches, room);
    found.push(...events);
    const last = piece.events.at(end ?? -1)?.place;
    if (end !== undefined)
      return {
        events: found,
        next: piece.isLast && end === piece.events.length - 1 ? undefined : last,
      };
    if (piece.isLast) return { events: found, next: undefined };
    after = last;
    checked += piece.events.length;
  }
  return { events: found, next: after };
};

/** Reads a page of events. Where a filter looks into JSON, what the database cannot decide is decided here. */
export const readEvents = async (
  schema: string,
  wanted: EventsWanted,
  execute: Execute,
): Promise<EventsPage> => {
  const { selecting, checking } = eventFilter(wanted.filter);
  const read = pieceReader(schema, wanted, execute, columnsFor(wanted, checking));
  if (checking !== null) return checkedPage(wanted, { selecting, checking }, read);
  const { limit, after } = wanted;
  const { events, isLast } = await read({ selecting, after, limit, maxBytes: MAX_PAGE_BYTES });
  return { events, next: isLast ? undefined : events.at(-1)?.place };
};
