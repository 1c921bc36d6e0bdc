import { EVENT_SCHEMA } from '@penstock/contracts';
import { type BoundRow, snowflakeName } from '@penstock/databases';
import type { RecordValue } from '@penstock/schema';
import { leafColumns, type ValueColumn, valueAt } from '../../profiles/value-columns';
import { castOf, cellOf } from '../columns/value-text';
import { EVENTS_TABLE } from '../layout/events-table';
import { wellFormedCell } from '../sql/well-formed';

/** The column of a member of events. */
interface EventColumn extends ValueColumn {
  readonly sqlType: string;
  /** Of the fractions of seconds that it keeps; absent: all that Snowflake can. */
  readonly fractionDigits?: number;
}

const capitals = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

const fractionsOf = (sqlType: string): { readonly fractionDigits?: number } => {
  const [, digits] = /^TIMESTAMP_TZ\((\d)\)/.exec(sqlType) ?? [];
  return digits === undefined ? {} : { fractionDigits: Number(digits) };
};

const SQL_TYPES = new Map(EVENTS_TABLE.columns.map(({ name, type }) => [name, type]));

/** The columns that an event has a value for: all but that of its profile. */
export const EVENT_COLUMNS: readonly EventColumn[] = leafColumns(EVENT_SCHEMA).map((column) => {
  const name = column.path.map(capitals).join('_');
  const sqlType = SQL_TYPES.get(name);
  if (sqlType === undefined) throw new TypeError(`events have no column ${name}`);
  return { ...column, name, sqlType, ...fractionsOf(sqlType) };
});

/** An event as cells of {@link EVENT_COLUMNS}. */
export const eventCells = (event: RecordValue): BoundRow =>
  EVENT_COLUMNS.map(({ type, path, fractionDigits }) =>
    wellFormedCell(cellOf(type, valueAt(event, path), fractionDigits)),
  );

/** SQL of the values of the columns of staged events, by their names. @param row of the staging table */
export const eventValues = (row: string): readonly string[] =>
  EVENT_COLUMNS.map(({ name, sqlType }) => {
    const column = snowflakeName(name);
    return `${castOf(sqlType, `${row}.${column}`)} AS ${column}`;
  });
