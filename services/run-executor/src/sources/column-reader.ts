import type { Microtime, RecordColumns } from '@penstock/contracts';
import type { RowUnit } from '@penstock/files';
import {
  compileUpdateTimeFormat,
  type Json,
  JsonNumber,
  JsonText,
  newRecord,
  type RecordValue,
  type Schema,
  textOf,
  type Type,
  type UpdateTimeReader,
  type UpdateTimeSource,
  type Value,
} from '@penstock/schema';
import { microtimeOf } from '../engine/microtime';
import type { RecordFault, SourceRecord } from '../engine/record-source';
import { WholeRunError } from '../engine/whole-run-error';

const NO_ID: RecordFault = { code: 'InvalidId', message: 'the id column is empty' };
const ID_NOT_TEXT: RecordFault = {
  code: 'InvalidId',
  message: 'the id column holds JSON that is neither a text nor a number',
};
const TIME_NOT_TEXT: RecordFault = {
  code: 'InvalidUpdateTime',
  message: 'the update time column holds JSON that is neither a text nor a number',
};

/** A text or a number within JSON as a text; `null`: empty; undefined: anything else. */
const scalarText = (json: Json): string | null | undefined => {
  if (json === null || json === '') return null;
  if (typeof json === 'string') return json;
  return json instanceof JsonNumber ? json.text : undefined;
};

/** The text of a column; `null`: empty; undefined: none can be made of it. */
const textIn = (type: Type, value: Value | undefined): string | null | undefined => {
  if (value === undefined || value === null) return null;
  if (value instanceof JsonText) return scalarText(value.value);
  const text = textOf(type, value);
  return text === '' ? null : text;
};

const typeOf = ({ properties }: Schema, name: string): Type => {
  const property = properties.find((each) => each.name === name);
  if (property === undefined)
    throw new WholeRunError(
      'InputValidation',
      'SchemaNotAligned',
      `${name}: column does not exist`,
    );
  return property.type;
};

type TimeOf = (values: RecordValue) => { time: Microtime | null } | { fault: RecordFault };

const textTime = (name: string, type: Type, read: UpdateTimeReader): TimeOf => {
  return (values) => {
    const text = textIn(type, values[name]);
    if (text === null) return { time: null };
    if (text === undefined) return { fault: TIME_NOT_TEXT };
    const result = read(text);
    if ('time' in result) return result;
    const message = `the update time ${result.issue}`;
    return { fault: { code: 'InvalidUpdateTime', message } };
  };
};

const timeReader = (
  { updatedAt, updatedAtFormat }: RecordColumns,
  schema: Schema,
  source: UpdateTimeSource,
): TimeOf => {
  if (updatedAt === null) return () => ({ time: null });
  const type = typeOf(schema, updatedAt);
  if (type.kind === 'string' || type.kind === 'json')
    return textTime(updatedAt, type, compileUpdateTimeFormat(updatedAtFormat ?? 'ISO8601', source));
  return (values) => {
    const value = values[updatedAt];
    if (typeof value !== 'string') return { time: null };
    return { time: microtimeOf(type.kind === 'date' ? `${value}T00:00:00Z` : value) };
  };
};

/** Names of the columns that are read: those of the schema, the id and the update time. */
export const columnsWanted = (
  { properties }: Schema,
  { userID, updatedAt }: RecordColumns,
): ReadonlySet<string> =>
  new Set([
    ...properties.map(({ name }) => name),
    ...[userID, updatedAt].filter((name) => name !== null),
  ]);

/** A row of a file or a database; with an error, what can be read of it. */
type Row = { readonly row: number } & (
  | { readonly values: RecordValue }
  | { readonly error: string; readonly readable?: RecordValue }
);

/** Makes records of the rows of a file or a database. */
export type ColumnReader = (row: Row) => SourceRecord;

const NOTHING = newRecord();

/** The values of a row that can be read. */
const valuesOf = (row: Row): RecordValue =>
  'values' in row ? row.values : (row.readable ?? NOTHING);

/**
 * Finds the id and the update time of each row, each by itself: a value that cannot be read fails the record, and leaves
 * its id known.
 *
 * @param unit what the numbers of rows count.
 * @throws WholeRunError when a column is not there.
 */
export const columnReader = (
  columns: RecordColumns,
  schema: Schema,
  source: UpdateTimeSource,
  unit: RowUnit,
): ColumnReader => {
  const type = typeOf(schema, columns.userID);
  const timeOf = timeReader(columns, schema, source);
  return (row) => {
    const values = valuesOf(row);
    const given = values[columns.userID];
    const id = textIn(type, given);
    const time = timeOf(values);
    const unreadable: RecordFault | undefined =
      'error' in row ? { code: 'InvalidRecord', message: row.error } : undefined;
    const fault =
      (given === undefined ? unreadable : undefined) ??
      (typeof id === 'string' ? undefined : id === null ? NO_ID : ID_NOT_TEXT) ??
      unreadable ??
      ('fault' in time ? time.fault : undefined);
    return {
      id: id ?? null,
      updatedAt: 'fault' in time ? null : time.time,
      values,
      fault: fault === undefined ? null : { ...fault, place: `${unit} ${String(row.row)}` },
    };
  };
};
