import {
  decodeValue,
  Invalid,
  isJsonArray,
  type Json,
  JsonSyntaxError,
  newRecord,
  parseJson,
  type RecordValue,
  type Type,
  type Value,
} from '@penstock/schema';
import { columnType } from '../columns/column-type';
import type { ValueColumn } from '../../profiles/value-columns';
import { storedType, valuesAt } from '../../reading/stored-values';
import { list } from '../sql/names';
import { unfit } from './rows';

/** The numbers and times of a session are written without loss, and so that every one of them can be read. */
export const EXACT: readonly string[] = [
  `SET LOCAL TimeZone = 'UTC'`,
  `SET LOCAL DateStyle = 'ISO, YMD'`,
  `SET LOCAL extra_float_digits = 1`,
];

/** Most values of one array of {@link valuesSql}. Source: PostgreSQL, `FUNC_MAX_ARGS`. */
const MAX_ARGUMENTS = 100;

/** Of what may nest as deep as JSON may, or be JSON null, its own text is given. */
const isJson = (type: Type): boolean => columnType(type).startsWith('jsonb');

const elementSql = ({ name, type }: ValueColumn): string =>
  isJson(type) ? `to_json(${list([name])})::text` : list([name]);

/**
 * SQL of the values of columns, as the text of a JSON array of arrays: null where a column has none. PostgreSQL writes each
 * type as JSON to the last digit, numbers that JSON does not know as texts.
 */
export const valuesSql = (columns: readonly ValueColumn[]): string => {
  const elements = columns.map(elementSql);
  const arrays: string[] = [];
  for (let from = 0; from < elements.length; from += MAX_ARGUMENTS)
    arrays.push(`json_build_array(${elements.slice(from, from + MAX_ARGUMENTS).join(', ')})`);
  return `json_build_array(${arrays.join(', ')})::text`;
};

/** What is read from the texts of a table. @throws WarehouseFault `unusable` where a text does not fit */
const fitting = <T>(table: string, name: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Invalid || error instanceof JsonSyntaxError) throw unfit(table, name);
    throw error;
  }
};

/** The elements of an array of arrays. */
const elementsOf = (json: Json): readonly Json[] | undefined => {
  if (!isJsonArray(json) || !json.every(isJsonArray)) return undefined;
  const [first = [], ...rest] = json;
  return rest.length === 0 ? first : json.flat();
};

/** Where the value of a column is put, and how it is read. */
const columnReading = ({ path, type }: ValueColumn) => {
  const known = storedType(type);
  return {
    path: path.join('.'),
    parents: path.slice(0, -1),
    name: path.at(-1) ?? '',
    read: isJson(type)
      ? (json: Json): Value => decodeValue(known, typeof json === 'string' ? parseJson(json) : json)
      : (json: Json): Value => decodeValue(known, json),
  };
};

/**
 * Makes what reads the records that {@link valuesSql} gives the values of. An object is there when any of its members is.
 *
 * @param table in which the values are.
 * @returns throws WarehouseFault `unusable`, naming the path of a value that does not fit its type.
 */
export const recordReader = (
  table: string,
  columns: readonly ValueColumn[],
): ((text: string) => RecordValue) => {
  const readings = columns.map(columnReading);
  return (text) => {
    const record = newRecord();
    const elements = fitting(table, 'values', () => elementsOf(parseJson(text)));
    if (elements?.length !== readings.length) throw unfit(table, 'values');
    for (const [index, { path, parents, name, read }] of readings.entries()) {
      const json = elements[index] ?? null;
      if (json !== null) valuesAt(record, parents)[name] = fitting(table, path, () => read(json));
    }
    return record;
  };
};
