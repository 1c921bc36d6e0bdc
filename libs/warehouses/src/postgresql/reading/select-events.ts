import { EVENT_SCHEMA } from '@penstock/contracts';
import { escapeLiteral } from 'pg';
import type { EventOrder, EventsWanted } from '../../platform/event-reads';
import type { EventsPiece, ReadPiece } from '../../reading/read-events';
import { filterSql } from '../filtering/filter-sql';
import { EVENTS_TABLE } from '../layout/events-table';
import { qualified } from '../sql/names';
import { EVENT_COLUMNS } from '../writing/event-columns';
import type { ValueColumn } from '../../profiles/value-columns';
import { pageSql } from './page-sql';
import type { Row } from './rows';
import { placeSql, type Sorting } from './places';
import { byColumn } from './sorting';
import { eventSql, storedEvent } from './stored-event';

const IDS = ['connection_id', 'message_id'].map((name) => ({
  expression: `(${name} COLLATE "C")`,
  sqlType: 'text',
}));

const REQUIRED: ReadonlySet<string> = new Set(
  EVENTS_TABLE.columns.filter(({ required }) => required === true).map(({ name }) => name),
);

const sortingOf = ({ path, isDescending }: EventOrder): Sorting => {
  const column = EVENT_COLUMNS.find((each) => each.path.join('.') === path);
  const isOptional = !REQUIRED.has(column?.name ?? '');
  return { ...byColumn(path, EVENT_COLUMNS), isDescending, isOptional, ids: IDS };
};

const selectEvents = (
  schema: string,
  { profile, from, to, order }: EventsWanted,
  { selecting, after, limit, maxBytes }: EventsPiece,
  columns: readonly ValueColumn[],
): string => {
  const sorting = sortingOf(order);
  return pageSql({
    ...{ after, limit, maxBytes, sorting },
    table: qualified(schema, '_events'),
    conditions: [
      ...(profile === undefined ? [] : [`profile_id = ${escapeLiteral(profile)}::uuid`]),
      ...(from === null ? [] : [`"timestamp" >= ${escapeLiteral(from)}::timestamptz`]),
      ...(to === null ? [] : [`"timestamp" < ${escapeLiteral(to)}::timestamptz`]),
      ...(selecting === null ? [] : [filterSql(selecting, EVENT_SCHEMA, EVENT_COLUMNS)]),
    ],
    shown: { ...eventSql(columns), place: placeSql(sorting) },
  });
};

/** Makes what reads events with one statement. @param execute executes it */
export const pieceReader =
  (
    schema: string,
    wanted: EventsWanted,
    execute: (statement: string) => Promise<readonly Row[]>,
  ): ReadPiece =>
  async (piece) => {
    const columns = EVENT_COLUMNS.filter(({ path }) => piece.members.has(path[0] ?? ''));
    const rows = await execute(selectEvents(schema, wanted, piece, columns));
    const stored = storedEvent(columns);
    return {
      rows: rows.map((row) => ({
        bytes: (row['values'] as string).length,
        decode: () => stored(row),
      })),
      isLast: (rows[0]?.['found'] ?? 0) === rows.length,
    };
  };
