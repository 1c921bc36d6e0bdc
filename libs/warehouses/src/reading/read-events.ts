import { EVENT_SCHEMA } from '@penstock/contracts';
import { compileFilter, type Filter, filterPaths } from '@penstock/filters';
import type { EventPlace, EventsPage, EventsWanted, StoredEvent } from '../platform/event-reads';
import { eventFilter } from './event-filter';
import { MAX_PAGE_BYTES } from './max-page-bytes';
import { Pace } from './pace';

/** Events of one statement where they are checked here. */
const PIECE = 500;
/** Bytes of them: less than an answer of the database may have. */
const MAX_PIECE_BYTES = 3_000_000;
/** Events that are checked for one page, and milliseconds after which no further ones are read. */
const MAX_CHECKED = 10_000;
const MAX_CHECKING_MS = 5_000;

/** What one statement is to read. */
export interface EventsPiece {
  /** What the database selects by; `null`: all. */
  readonly selecting: Filter | null;
  /** Names of members at the top of events. */
  readonly members: ReadonlySet<string>;
  readonly after: EventPlace | undefined;
  readonly limit: number;
  /** Bytes of them together, but for the first one. */
  readonly maxBytes: number;
}

/** An event that was read, and is not decoded yet. */
export interface ReadEvent {
  readonly bytes: number;
  /** @throws WarehouseFault `unusable` for a row that no writer has written */
  readonly decode: () => StoredEvent;
}

/** What one statement has read. */
interface EventsRead {
  readonly rows: readonly ReadEvent[];
  /** Whether no others follow. */
  readonly isLast: boolean;
}

/** Reads events with one statement. */
export type ReadPiece = (piece: EventsPiece) => Promise<EventsRead>;

const membersOf = ({ properties }: EventsWanted, checking: Filter | null): ReadonlySet<string> => {
  const wanted = properties.properties.map(({ name }) => name);
  const checked =
    checking === null ? [] : filterPaths(checking).flatMap((path) => path.split('.', 1));
  return new Set([...wanted, ...checked]);
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
  ) {}

  /** Whether there is no room left. */
  get isFull(): boolean {
    return this.found.length >= this.limit || this.bytes >= MAX_PAGE_BYTES;
  }

  look({ bytes, decode }: ReadEvent): void {
    const event = decode();
    this.place = event.place;
    if (!this.matches(event.event)) return;
    this.found.push(event);
    this.bytes += bytes;
  }
}

/** What is checked: by the database, and here. */
interface Checks extends Pick<EventsPiece, 'selecting' | 'members'> {
  readonly matches: (event: StoredEvent['event']) => boolean;
}

/** Reads piece by piece until a page is full, or enough was looked at. Other work has its turn between events. */
const checkedPage = async (
  wanted: EventsWanted,
  { selecting, members, matches }: Checks,
  read: ReadPiece,
  signal: AbortSignal,
): Promise<EventsPage> => {
  const page = new CheckedPage(wanted.limit, matches);
  const pace = new Pace(MAX_CHECKING_MS, signal);
  page.place = wanted.after;
  for (let checked = 0; checked < MAX_CHECKED && !pace.isOver();) {
    const after = page.place;
    const limits = { limit: PIECE, maxBytes: MAX_PIECE_BYTES };
    const { rows, isLast } = await read({ selecting, members, after, ...limits });
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
  wanted: EventsWanted,
  read: ReadPiece,
  signal: AbortSignal,
): Promise<EventsPage> => {
  const { selecting, checking } = eventFilter(wanted.filter);
  const members = membersOf(wanted, checking);
  if (checking !== null) {
    const { matches } = compileFilter(checking, EVENT_SCHEMA);
    return checkedPage(wanted, { selecting, members, matches }, read, signal);
  }
  const { limit, after } = wanted;
  const { rows, isLast } = await read({
    ...{ selecting, members, after, limit },
    maxBytes: MAX_PAGE_BYTES,
  });
  const events = rows.map(({ decode }) => decode());
  return { events, next: isLast ? undefined : events.at(-1)?.place };
};
