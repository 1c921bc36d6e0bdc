import { EVENT_SCHEMA } from '@penstock/contracts';
import type { RecordValue, Schema, Type } from '@penstock/schema';
import { fieldText } from '../columns/field-text';
import { valueAt } from '../../profiles/value-columns';
import { EVENTS_TABLE } from '../layout/events-table';
import type { StagedColumn } from './stage-rows';

/** The column of a member of events. */
interface EventColumn extends StagedColumn {
  readonly path: readonly string[];
  readonly type: Type;
  /** Of the fractions of seconds that it keeps; absent: all that PostgreSQL can. */
  readonly fractionDigits?: number;
}

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Of `timestamp(3) with time zone`, for one. */
const fractionsOf = (sqlType: string): { readonly fractionDigits?: number } => {
  const [, digits] = /^time(?:stamp)?\((\d)\)/.exec(sqlType) ?? [];
  return digits === undefined ? {} : { fractionDigits: Number(digits) };
};

const SQL_TYPES = new Map(EVENTS_TABLE.columns.map(({ name, type }) => [name, type]));

const columnsAt = ({ properties }: Schema, at: readonly string[]): EventColumn[] =>
  properties.flatMap(({ name: property, type }): EventColumn[] => {
    const path = [...at, property];
    if (type.kind === 'object') return columnsAt(type, path);
    const name = path.map(snakeCase).join('_');
    const sqlType = SQL_TYPES.get(name);
    if (sqlType === undefined) throw new TypeError(`events have no column ${name}`);
    return [{ name, path, type, sqlType, ...fractionsOf(sqlType) }];
  });

/** The columns that an event has a value for: all but that of its profile. */
export const EVENT_COLUMNS: readonly EventColumn[] = columnsAt(EVENT_SCHEMA, []);

/** An event as a row of {@link EVENT_COLUMNS}, as COPY reads it. @throws Unwritable */
export const eventText = (event: RecordValue): string => {
  const fields = EVENT_COLUMNS.map((column) =>
    fieldText(column, valueAt(event, column.path), column.fractionDigits),
  );
  return `${fields.join('\t')}\n`;
};
