import { textOf, type Type, type Value } from '@penstock/schema';

/** Source: Snowflake, "Numeric data types". */
const MAX_PRECISION = 38;
const MAX_SCALE = 37;

/** A text between quotes, in which backslashes mean something. */
export const snowflakeText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** A name between quotes. */
export const snowflakeName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const QUOTED = /^"(.*)"$/s;

/** A name of settings as it is stored when something gets it. Source: Snowflake, "Identifier requirements". */
export const storedName = (name: string): string =>
  QUOTED.exec(name)?.[1]?.replaceAll('""', '"') ?? name.toUpperCase();

/** The words that a cast makes special numbers of. */
export const floatText = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return value.toExponential();
  return value > 0 ? 'inf' : '-inf';
};

const decimal = (text: string): string => {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const digits = whole.length + fraction.length;
  if (digits > MAX_PRECISION || fraction.length > MAX_SCALE)
    throw new RangeError(
      'Snowflake has no decimal with more than 38 digits, or 37 after the point',
    );
  return `CAST('${text}' AS NUMBER(${String(digits)},${String(fraction.length)}))`;
};

/**
 * A value as a literal of Snowflake. Nothing that the value holds can end the literal.
 *
 * @param value of the type; not checked.
 * @throws RangeError when Snowflake cannot hold it.
 */
export const snowflakeLiteral = (type: Type, value: Value): string => {
  if (value === null) return 'NULL';
  const text = (): string => textOf(type, value);
  switch (type.kind) {
    case 'boolean':
      return value === true ? 'TRUE' : 'FALSE';
    case 'int':
    case 'year':
      return `(${text()})`;
    case 'float':
      return `CAST('${floatText(value as number)}' AS FLOAT)`;
    case 'decimal':
      return decimal(text());
    case 'datetime':
      return `CAST('${text().replace('T', ' ').replace('Z', ' +00:00')}' AS TIMESTAMP_TZ)`;
    case 'date':
      return `CAST('${text()}' AS DATE)`;
    case 'time':
      return `CAST('${text()}' AS TIME)`;
    case 'string':
    case 'uuid':
    case 'ip':
    case 'json':
      return snowflakeText(text());
    case 'array':
    case 'map':
    case 'object':
      throw new RangeError(`Snowflake has no literal for the kind ${type.kind}`);
  }
};
