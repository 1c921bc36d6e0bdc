import {
  canonicalDate,
  canonicalDateTime,
  canonicalDecimal,
  canonicalIp,
  canonicalTime,
  canonicalUuid,
  type IntType,
  type Kind,
  type Type,
  type Value,
} from '@penstock/schema';
import { Types } from 'mysql2';
import { intType } from '../database/int-type';
import { readJson } from '../database/read-json';
import { BadValue, type Counterpart, known, type Unsupported } from '../database/source-column';
import type { CatalogueColumn } from './catalogue';
import { FLAGS, type MysqlColumn } from './mysql-column';
import type { Cell } from './session';

/** Source: MySQL, the character set `binary`. */
const BINARY = 63;

/** Of the type `decimal`. */
const MAX_PRECISION = 76;
const MAX_SCALE = 37;

/** NUL, which no value may hold. */
const NUL = '\0';

type Given = Counterpart<Cell> | Unsupported;
type CounterpartOf = (column: MysqlColumn) => Given;

const has = ({ flags }: MysqlColumn, flag: number): boolean => (flags & flag) !== 0;

const int =
  (bitSize: Exclude<IntType['bitSize'], 64>): CounterpartOf =>
  (column) => ({ type: intType(bitSize, has(column, FLAGS.UNSIGNED)), read: Number });

const long: CounterpartOf = (column) => ({
  type: intType(64, has(column, FLAGS.UNSIGNED)),
  read: (cell) => BigInt(String(cell)),
});

/** Source: MySQL, BOOLEAN is TINYINT(1). */
const tiny: CounterpartOf = (column) =>
  column.columnLength === 1 && !has(column, FLAGS.UNSIGNED)
    ? { type: { kind: 'boolean' }, read: (cell) => flagOf(Number(cell)) }
    : int(8)(column);

const flagOf = (number: number): boolean => {
  if (number !== 0 && number !== 1)
    throw new BadValue(
      'is neither 0 nor 1, as the type tinyint(1) has it: cast it to read numbers',
    );
  return number === 1;
};

const bit: CounterpartOf = ({ columnLength }) =>
  columnLength === 1
    ? { type: { kind: 'boolean' }, read: (cell) => (cell as Buffer)[0] === 1 }
    : { unsupported: `bit(${String(columnLength)})` };

const float = (bitSize: 32 | 64): CounterpartOf => {
  const counterpart: Counterpart<Cell> = {
    type: { kind: 'float', bitSize, real: true },
    // Adding 0 makes 0 of -0.
    read: (cell) => Number(cell) + 0,
  };
  return () => counterpart;
};

/** Source: MySQL, the length counts a point and a sign beside the digits. */
const precisionOf = (column: MysqlColumn): number => {
  const sign = has(column, FLAGS.UNSIGNED) ? 0 : 1;
  const point = column.decimals > 0 ? 1 : 0;
  return Math.max(column.columnLength - sign - point, column.decimals, 1);
};

/** Numbers of a fixed width are filled up with zeros. */
const withoutZeros = (text: string): string => text.replace(/^(-?)0+(?=\d)/, '$1');

const decimal: CounterpartOf = (column) => {
  const precision = precisionOf(column);
  const scale = column.decimals;
  if (precision > MAX_PRECISION || scale > MAX_SCALE)
    return { unsupported: `decimal(${String(precision)},${String(scale)})` };
  return {
    type: { kind: 'decimal', precision, scale },
    read: (cell) =>
      known(canonicalDecimal(withoutZeros(String(cell)), { precision, scale }), 'a decimal'),
  };
};

const plain = (
  kind: Exclude<Kind, 'string' | 'int' | 'float' | 'decimal' | 'array' | 'object' | 'map'>,
  read: (text: string) => Value,
): CounterpartOf => {
  const counterpart: Counterpart<Cell> = { type: { kind }, read: (cell) => read(String(cell)) };
  return () => counterpart;
};

const DATE_TIME = 'a time of the years 1 to 9999';
/** A type of times, whose precision the protocol describes. */
const moments =
  (kind: 'datetime' | 'time', read: (text: string) => Value): CounterpartOf =>
  ({ decimals }) => ({
    ...{ type: { kind }, read: (cell) => read(String(cell)) },
    fractionDigits: decimals,
  });

const dateTime = moments('datetime', (text) => known(canonicalDateTime(text), DATE_TIME));
const date = plain('date', (text) => known(canonicalDate(text), 'a day of the years 1 to 9999'));
const time = moments('time', (text) => known(canonicalTime(text), 'a time of day before 24:00'));
const year = plain('year', (text) => {
  if (Number(text) < 1) throw new BadValue('is not a year of 1 to 9999');
  return Number(text);
});
const json = plain('json', readJson);
const uuid = plain('uuid', (text) => known(canonicalUuid(text), 'a UUID'));
const ip = plain('ip', (text) => known(canonicalIp(text), 'an address'));

const textOf = (cell: Cell): string => {
  const text = String(cell);
  if (text.includes(NUL)) throw new BadValue('holds NUL');
  return text;
};

const BY_CODE: ReadonlyMap<number, CounterpartOf> = new Map<number, CounterpartOf>([
  [Types.TINY, tiny],
  [Types.SHORT, int(16)],
  [Types.INT24, int(24)],
  [Types.LONG, int(32)],
  [Types.LONGLONG, long],
  [Types.FLOAT, float(32)],
  [Types.DOUBLE, float(64)],
  [Types.DECIMAL, decimal],
  [Types.NEWDECIMAL, decimal],
  [Types.DATE, date],
  [Types.NEWDATE, date],
  [Types.DATETIME, dateTime],
  [Types.TIMESTAMP, dateTime],
  [Types.TIME, time],
  [Types.YEAR, year],
  [Types.BIT, bit],
  [Types.JSON, json],
]);

/** Types of MariaDB that are texts on the wire. */
const BY_NAME: ReadonlyMap<string, CounterpartOf> = new Map([
  ['uuid', uuid],
  ['inet4', ip],
  ['inet6', ip],
]);

const TEXTS: ReadonlySet<number> = new Set([
  Types.NULL,
  Types.VARCHAR,
  Types.VAR_STRING,
  Types.STRING,
  Types.TINY_BLOB,
  Types.BLOB,
  Types.MEDIUM_BLOB,
  Types.LONG_BLOB,
  Types.ENUM,
]);

const ESCAPES: Readonly<Record<string, string>> = { '0': '\0', n: '\n', r: '\r' };

/** The values in `enum('a','it''s')`. */
const valuesOf = (type: string): readonly string[] =>
  Array.from(type.matchAll(/'((?:[^'\\]|''|\\[^])*)'/g), ([, value = '']) =>
    value.replaceAll("''", "'").replace(/\\([^])/g, (_, each: string) => ESCAPES[each] ?? each),
  );

const enumOf = (type: string): Counterpart<Cell> => {
  const values = valuesOf(type).map((value) => value.normalize());
  const all = new Set(values);
  const read = (cell: Cell): string => {
    const text = String(cell).normalize();
    if (!all.has(text)) throw new BadValue('is none of the values of its enum');
    return text;
  };
  return { type: { kind: 'string', values }, read };
};

const text = (column: MysqlColumn, origin: CatalogueColumn | undefined): Counterpart<Cell> => {
  if (has(column, FLAGS.ENUM) && origin?.type.startsWith('enum(') === true)
    return enumOf(origin.type);
  const isBounded = /^(?:var)?char\(/.test(origin?.type ?? '');
  const maxLength = isBounded ? (origin?.maxLength ?? 0) : 0;
  const type: Type = maxLength > 0 ? { kind: 'string', maxLength } : { kind: 'string' };
  return { type, read: textOf };
};

const nameOf = ({ columnType }: MysqlColumn, isBinary: boolean): string => {
  const [name = String(columnType)] =
    Object.entries(Types).find(([, code]) => (code as unknown) === columnType) ?? [];
  return `${isBinary ? 'binary ' : ''}${name.toLowerCase()}`;
};

/**
 * What a column becomes.
 *
 * @param origin the column of a table that it comes from; undefined: it is computed.
 */
export const mysqlCounterpart = (
  column: MysqlColumn,
  origin: CatalogueColumn | undefined,
): Counterpart<Cell> | Unsupported => {
  if (column.extendedFormat === 'json') return json(column);
  const special = BY_NAME.get(column.extendedTypeName ?? '') ?? BY_CODE.get(column.columnType);
  if (special !== undefined) return special(column);
  if (has(column, FLAGS.SET)) return { unsupported: 'set' };
  const isBinary = column.characterSet === BINARY && column.columnType !== Types.NULL;
  if (TEXTS.has(column.columnType) && !isBinary) return text(column, origin);
  return { unsupported: nameOf(column, TEXTS.has(column.columnType)) };
};
