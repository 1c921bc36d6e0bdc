import { textOf, type Type, type Value } from '@penstock/schema';

/** MySQL keeps microseconds. */
const FINER = /\.\d{6}(?!000)\d{3}/;

/** Source: MySQL and MariaDB, the digits that both have. */
const MAX_PRECISION = 65;
const MAX_SCALE = 30;

/** Hexadecimal, so that no mode of the session reads it otherwise, and nothing in it can end it. */
const hex = (text: string): string => `_utf8mb4 X'${Buffer.from(text).toString('hex')}'`;

const unsigned = (text: string): string => `CAST('${text}' AS UNSIGNED)`;

const signed = (text: string): string => `CAST('${text}' AS SIGNED)`;

/** A number with an exponent is a double. */
const double = (value: number): string => {
  if (!Number.isFinite(value)) throw new RangeError('MySQL has no number that is not finite');
  return `(${value.toExponential()})`;
};

const decimal = (text: string): string => {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  if (whole.length + fraction.length > MAX_PRECISION || fraction.length > MAX_SCALE)
    throw new RangeError('MySQL has no decimal with more than 65 digits, or 30 after the point');
  const digits = `${String(whole.length + fraction.length)},${String(fraction.length)}`;
  return `CAST('${text}' AS DECIMAL(${digits}))`;
};

const moment = (text: string): string => {
  if (FINER.test(text)) throw new RangeError('MySQL has no time that is finer than 1 µs');
  return text.replace('T', ' ').replace('Z', '');
};

/**
 * A value as a literal of MySQL. Nothing that the value holds can end the literal.
 *
 * @param value of the type; not checked.
 * @throws RangeError when MySQL cannot hold it.
 */
export const mysqlLiteral = (type: Type, value: Value): string => {
  if (value === null) return 'NULL';
  const text = (): string => textOf(type, value);
  switch (type.kind) {
    case 'boolean':
      return value === true ? 'TRUE' : 'FALSE';
    case 'int':
      return type.unsigned ? unsigned(text()) : signed(text());
    case 'year':
      return signed(text());
    case 'float':
      return double(value as number);
    case 'decimal':
      return decimal(text());
    case 'datetime':
      return `TIMESTAMP'${moment(text())}'`;
    case 'date':
      return `DATE'${text()}'`;
    case 'time':
      return `TIME'${moment(text())}'`;
    case 'string':
    case 'uuid':
    case 'ip':
    case 'json':
      return hex(text());
    case 'array':
    case 'map':
    case 'object':
      throw new RangeError(`MySQL has no literal for the kind ${type.kind}`);
  }
};
