import { floatText, textOf, type Type, type Value } from '@penstock/schema';

/** ClickHouse keeps nanoseconds; more than microseconds are too many for the years 1900 and 2299. */
const FINER = /\.\d{6}(?!000)\d{3}/;

/** Years that `DateTime64` and `Date32` have, and `DateTime` and `Date`. */
const MIN_YEAR = 1900;
const MAX_YEAR = 2299;
const MIN_SHORT_YEAR = 1971;
const MAX_SHORT_YEAR = 2105;

/** Digits of `Decimal256` and `Decimal128`. */
const MAX_PRECISION = 76;
const MAX_SHORT_PRECISION = 38;

/** A text of ClickHouse. Nothing in it can end it. */
export const clickhouseText = (text: string): string => {
  if (text.includes('\0')) throw new RangeError('there is no literal with NUL');
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
};

/** A name of ClickHouse. Nothing in it can end it. */
export const clickhouseName = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``;

const isShort = (text: string): boolean => {
  const year = Number(text.slice(0, 4));
  if (year < MIN_YEAR || year > MAX_YEAR)
    throw new RangeError(
      `ClickHouse has no time outside of the years ${String(MIN_YEAR)} to ${String(MAX_YEAR)}`,
    );
  return year >= MIN_SHORT_YEAR && year <= MAX_SHORT_YEAR;
};

const moment = (text: string): string => {
  if (FINER.test(text)) throw new RangeError('there is no literal of a time finer than 1 µs');
  return text.replace('T', ' ').replace('Z', '');
};

const dateTime = (text: string): string => {
  const plain = moment(text);
  return isShort(text) && !text.includes('.')
    ? `toDateTime('${plain}', 'UTC')`
    : `toDateTime64('${plain}', 6, 'UTC')`;
};

const date = (text: string): string =>
  isShort(text) ? `toDate('${text}')` : `toDate32('${text}')`;

const decimal = (text: string): string => {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const precision = whole.length + fraction.length;
  if (precision > MAX_PRECISION)
    throw new RangeError(
      `ClickHouse has no decimal with more than ${String(MAX_PRECISION)} digits`,
    );
  const name = precision > MAX_SHORT_PRECISION ? 'toDecimal256' : 'toDecimal128';
  return `${name}('${text}', ${String(fraction.length)})`;
};

const float = (value: number, bitSize: 32 | 64): string =>
  `toFloat${String(bitSize)}('${floatText(value, bitSize).toLowerCase().replace('infinity', 'inf')}')`;

/**
 * A value as a literal of ClickHouse. Nothing that the value holds can end the literal.
 *
 * @param value of the type; not checked.
 * @throws RangeError when ClickHouse cannot hold it.
 */
export const clickhouseLiteral = (type: Type, value: Value): string => {
  if (value === null) return 'NULL';
  const text = (): string => textOf(type, value);
  switch (type.kind) {
    case 'boolean':
      return value === true ? 'toUInt8(1)' : 'toUInt8(0)';
    case 'int':
      return `to${type.unsigned ? 'UInt' : 'Int'}64('${text()}')`;
    case 'year':
      return `toUInt16('${text()}')`;
    case 'float':
      return float(value as number, type.bitSize);
    case 'decimal':
      return decimal(text());
    case 'datetime':
      return dateTime(text());
    case 'date':
      return date(text());
    case 'time':
      return `'${moment(text())}'`;
    case 'string':
    case 'uuid':
    case 'ip':
    case 'json':
      return clickhouseText(text());
    case 'array':
    case 'map':
    case 'object':
      throw new RangeError(`ClickHouse has no literal for the kind ${type.kind}`);
  }
};
