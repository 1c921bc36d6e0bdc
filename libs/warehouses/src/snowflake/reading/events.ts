import { EVENT_SCHEMA } from '@penstock/contracts';
import { type SnowflakeSession, snowflakeText } from '@penstock/databases';
import type { EventOrder, EventsWanted, StoredEvent } from '../../platform/event-reads';
import type { ValueColumn } from '../../profiles/value-columns';
import type { EventsPiece, ReadPiece } from '../../reading/read-events';
import { EVENT_COLUMNS } from '../layout/event-columns';
import { stagedSql, stagedText } from '../columns/staged-text';
import { filterSql } from '../filtering/filter-sql';
import { EVENTS_TABLE } from '../layout/events-table';
import { type Place, qualified } from '../sql/names';
import { isLastPage, selectPage } from './page-sql';
import { placeIn, type Sorting } from './places';
import { readRows } from './read-rows';
import { recordReader, valuesBytes, valuesShown } from './record-cells';
import { membersOf, type Row, type Selection } from './rows';
import { byColumn, byText } from './sorting';

const TABLE = EVENTS_TABLE.name;

const member = membersOf(TABLE);

const REQUIRED: ReadonlySet<string> = new Set(
  EVENTS_TABLE.columns.filter(({ required }) => required === true).map(({ name }) => name),
);

const sortingOf = ({ path, isDescending }: EventOrder): Sorting => {
  const column = EVENT_COLUMNS.find((each) => each.path.join('.') === path);
  return {
    by: byColumn(path, EVENT_COLUMNS),
    isDescending,
    isOptional: !REQUIRED.has(column?.name ?? ''),
    ids: [byText('CONNECTION_ID'), byText('MESSAGE_ID')],
  };
};

const moment = (text: string): string =>
  stagedSql('TIMESTAMP_TZ(9)', snowflakeText(stagedText({ kind: 'datetime' }, text)));

const selectEvents = (
  place: Place,
  { profile, from, to, order }: EventsWanted,
  { selecting, after, limit, maxBytes }: EventsPiece,
  columns: readonly ValueColumn[],
): Selection =>
  selectPage({
    ...{ after, limit, maxBytes, sorting: sortingOf(order) },
    table: qualified(place, TABLE),
    conditions: [
      ...(profile === undefined ? [] : [`"PROFILE_ID" = ${snowflakeText(profile)}`]),
      ...(from === null ? [] : [`"TIMESTAMP" >= ${moment(from)}`]),
      ...(to === null ? [] : [`"TIMESTAMP" < ${moment(to)}`]),
      ...(selecting === null ? [] : [filterSql(selecting, EVENT_SCHEMA, EVENT_COLUMNS)]),
    ],
    shown: { PROFILE: '"PROFILE_ID"', ...valuesShown(columns) },
    bytes: valuesBytes(columns),
  });

/** @throws WarehouseFault `unusable` for a row that no writer has written. */
const storedEvent = (
  { order }: EventsWanted,
  columns: readonly ValueColumn[],
): ((row: Row) => StoredEvent) => {
  const record = recordReader(TABLE, columns);
  const place = placeIn(TABLE, sortingOf(order));
  return (row) => ({
    place: place(row),
    profile: member.textOrNull(row, 'PROFILE'),
    event: record(row),
  });
};

/** Bytes of a row as they count for a page. */
const bytesOf = (row: Row): number =>
  Object.values(row).reduce((sum, cell) => sum + (cell?.length ?? 0), 0);

/** Makes what reads events with one statement. @param read does it on a session */
export const pieceReader =
  (
    place: Place,
    wanted: EventsWanted,
    read: <T>(work: (session: SnowflakeSession) => Promise<T>) => Promise<T>,
  ): ReadPiece =>
  async (piece) => {
    const columns = EVENT_COLUMNS.filter(({ path }) => piece.members.has(path[0] ?? ''));
    const select = selectEvents(place, wanted, piece, columns);
    const rows = await read((session) => readRows(session, select));
    const stored = storedEvent(wanted, columns);
    return {
      rows: rows.map((row) => ({ bytes: bytesOf(row), decode: () => stored(row) })),
      isLast: isLastPage(rows),
    };
  };
