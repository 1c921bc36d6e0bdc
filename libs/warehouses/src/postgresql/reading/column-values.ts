import {
  decodeValue,
  Invalid,
  JsonSyntaxError,
  newRecord,
  parseJson,
  type RecordValue,
  type Type,
  type Value,
} from '@penstock/schema';
import type { ValueColumn } from '../columns/profile-columns';
import { list } from '../sql/names';
import { unfit } from './rows';

const MAX_ELEMENTS = 2_147_483_647;

/** The numbers and times of a session are written without loss, and so that every one of them can be read. */
export const EXACT: readonly string[] = [
  `SET LOCAL TimeZone = 'UTC'`,
  `SET LOCAL DateStyle = 'ISO, YMD'`,
  `SET LOCAL extra_float_digits = 1`,
];

/**
 * SQL of the values of columns, as an array of JSON texts: null where a column has none. PostgreSQL writes each type as
 * JSON to the last digit, numbers that JSON does not know as texts.
 */
export const valuesSql = (columns: readonly ValueColumn[]): string =>
  `ARRAY[${columns.map(({ name }) => `to_json(${list([name])})::text`).join(', ')}]::text[]`;

/** Elements that a profile has from several identities may be more, or fewer, than the type allows for one of them. */
const unlimited = (type: Type): Type =>
  type.kind === 'array'
    ? { ...type, minElements: 0, maxElements: MAX_ELEMENTS, uniqueElements: false }
    : type;

const UNLIMITED = new WeakMap<Type, Type>();

/** One for each type, so that it is compiled once. */
const readAs = (type: Type): Type => {
  const known = UNLIMITED.get(type) ?? unlimited(type);
  UNLIMITED.set(type, known);
  return known;
};

const valueOf = (table: string, { path, type }: ValueColumn, text: string): Value => {
  try {
    return decodeValue(readAs(type), parseJson(text));
  } catch (error) {
    if (error instanceof Invalid || error instanceof JsonSyntaxError)
      throw unfit(table, path.join('.'));
    throw error;
  }
};

/** A record while it is being filled. */
type Filled = ReturnType<typeof newRecord>;

/** The object at the end of a way of names, made where it is not there. */
const objectAt = (record: Filled, path: readonly string[]): Filled => {
  let object = record;
  for (const name of path) {
    const present = (object[name] as Filled | undefined) ?? newRecord();
    object[name] = present;
    object = present;
  }
  return object;
};

/**
 * The record that {@link valuesSql} has given the values of. An object is there when any of its members is.
 *
 * @param table in which the values are.
 * @throws WarehouseFault `unusable` naming the path of a value that does not fit its type
 */
export const recordOf = (
  table: string,
  columns: readonly ValueColumn[],
  values: readonly (string | null)[],
): RecordValue => {
  const record = newRecord();
  for (const [index, column] of columns.entries()) {
    const text = values[index] ?? null;
    if (text === null) continue;
    const value = valueOf(table, column, text);
    objectAt(record, column.path.slice(0, -1))[column.path.at(-1) ?? ''] = value;
  }
  return record;
};
