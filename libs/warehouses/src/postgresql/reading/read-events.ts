import { EVENT_SCHEMA } from '@penstock/contracts';
import { compileFilter, type Filter, filterPaths } from '@penstock/filters';
import type { EventsPage, EventsWanted, StoredEvent } from '../../platform/event-reads';
import { EVENT_COLUMNS } from '../writing/event-columns';
import type { ValueColumn } from '../../profiles/value-columns';
import { eventFilter } from './event-filter';
import { MAX_PAGE_BYTES } from './max-page-bytes';
import { Pace } from './pace';
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

const bytesOf = (row: Row): number => (row['values'] as string).length;

/** What one statement has read. */
interface Piece {
  readonly rows: readonly Row[];
  readonly isLast: boolean;
}

const pieceReader =
  (schema: string, wanted: EventsWanted, execute: Execute, columns: readonly ValueColumn[]) =>
  async (piece: Omit<EventsPiece, 'columns'>): Promise<Piece> => {
    const rows = await execute(selectEvents(schema, wanted, { ...piece, columns }));
    return { rows, isLast: (rows[0]?.['found'] ?? 0) === rows.length };
  };

/** A page while it is being filled with the events that match. */
class CheckedPage {
  readonly found: StoredEvent[] = [];
  private bytes = 0;
  /** Where the event is that was looked at last. */
  place: string | undefined;

  constructor(
    private readonly limit: number,
    private readonly matches: (event: StoredEvent['event']) => boolean,
    private readonly stored: (row: Row) => StoredEvent,
  ) {}

  /** Whether there is no room left. */
  get isFull(): boolean {
    return this.found.length >= this.limit || this.bytes >= MAX_PAGE_BYTES;
  }

  look(row: Row): void {
    const event = this.stored(row);
    this.place = event.place;
    if (!this.matches(event.event)) return;
    this.found.push(event);
    this.bytes += bytesOf(row);
  }
}

/** What is checked: by the database, and here. */
interface Checks {
  readonly selecting: Filter | null;
  readonly columns: readonly ValueColumn[];
  readonly matches: (event: StoredEvent['event']) => boolean;
}

/** Reads piece by piece until a page is full, or enough was looked at. Other work has its turn between events. */
const checkedPage = async (
  wanted: EventsWanted,
  { selecting, columns, matches }: Checks,
  read: ReturnType<typeof pieceReader>,
  signal: AbortSignal,
): Promise<EventsPage> => {
  const page = new CheckedPage(wanted.limit, matches, storedEvent(columns));
  const pace = new Pace(MAX_CHECKING_MS, signal);
  page.place = wanted.after;
  for (let checked = 0; checked < MAX_CHECKED && !pace.isOver();) {
    const after = page.place;
    const { rows, isLast } = await read({
      selecting,
      after,
      limit: PIECE,
      maxBytes: MAX_PIECE_BYTES,
    });
    for (const [index, row] of rows.entries()) {
      page.look(row);
      const isEnd = isLast && index === rows.length - 1;
      if (page.isFull || (!isEnd && pace.isOver()))
        return { events: page.found, next: isEnd ? undefined : page.place };
      await pace.turn();
    }
    if (isLast) return { events: page.found, next: undefined };
    checked += rows.length;
  }
  return { events: page.found, next: page.place };
};

/** Reads a page of events. Where a filter looks into JSON, what the database cannot decide is decided here. */
export const readEvents = async (
  schema: string,
  wanted: EventsWanted,
  execute: Execute,
  signal: AbortSignal,
): Promise<EventsPage> => {
  const { selecting, checking } = eventFilter(wanted.filter);
  const columns = columnsFor(wanted, checking);
  const read = pieceReader(schema, wanted, execute, columns);
  if (checking !== null) {
    const { matches } = compileFilter(checking, EVENT_SCHEMA);
    return checkedPage(wanted, { selecting, columns, matches }, read, signal);
  }
  const { limit, after } = wanted;
  const { rows, isLast } = await read({ selecting, after, limit, maxBytes: MAX_PAGE_BYTES });
  const events = rows.map(storedEvent(columns));
  return { events, next: isLast ? undefined : events.at(-1)?.place };
};
