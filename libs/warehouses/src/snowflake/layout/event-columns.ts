import { EVENT_SCHEMA } from '@penstock/contracts';
import { leafColumns, type ValueColumn } from '../../profiles/value-columns';
import { EVENTS_TABLE } from './events-table';

/** The column of a member of events. */
export interface EventColumn extends ValueColumn {
  /** In the words of `DESCRIBE TABLE`. */
  readonly sqlType: string;
  /** Of the fractions of seconds that it keeps; absent: all that Snowflake can. */
  readonly fractionDigits?: number;
}

const capitals = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** Of `TIMESTAMP_TZ(3)`, for one. */
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
