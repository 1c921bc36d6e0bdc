import { EVENT_SCHEMA } from '@penstock/contracts';
import type { Filter } from '@penstock/filters';
import { escapeLiteral } from 'pg';
import type { EventOrder, EventsWanted } from '../../platform/event-reads';
import { filterSql } from '../filtering/filter-sql';
import { EVENTS_TABLE } from '../layout/events-table';
import { qualified } from '../sql/names';
import { EVENT_COLUMNS } from '../writing/event-columns';
import type { ValueColumn } from '../../profiles/value-columns';
import { type PageOfRows, pageSql } from './page-sql';
import { placeSql, type Sorting } from './places';
import { byColumn } from './sorting';
import { eventSql } from './stored-event';

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

/** What is read of which events. */
export interface EventsPiece extends Pick<PageOfRows, 'after' | 'limit' | 'maxBytes'> {
  readonly columns: readonly ValueColumn[];
  readonly selecting: Filter | null;
}

export const selectEvents = (
  schema: string,
  { profile, from, to, order }: EventsWanted,
  { columns, selecting, ...piece }: EventsPiece,
): string => {
  const sorting = sortingOf(order);
  return pageSql({
    ...{ ...piece, sorting },
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
