import { snowflakeFloat } from '@penstock/databases';
import {
  cutFraction,
  type JsonText,
  type Type,
  type Value,
  valueToJson,
  writeJson,
} from '@penstock/schema';

/** Digits of the fractions of seconds that Snowflake keeps. */
const NANOSECONDS = 9;

/** A moment in UTC as a text that a cast takes, whatever the session's format. */
export const momentCell = (moment: string): string => moment.replace('T', ' ').replace('Z', '');

/**
 * The text from which {@link castOf} makes the value of a column.
 *
 * @param value of the type, not null; not checked.
 * @param fractionDigits that the column keeps of the seconds of times: those below are cut off.
 */
const valueText = (type: Type, value: Value, fractionDigits = NANOSECONDS): string => {
  switch (type.kind) {
    case 'int':
    case 'year':
    case 'boolean':
      return (value as number | bigint | boolean).toString();
    case 'float':
      return snowflakeFloat(value as number);
    case 'datetime':
      return momentCell(cutFraction(value as string, fractionDigits));
    case 'time':
      return cutFraction(value as string, fractionDigits);
    case 'json':
      return (value as JsonText).text;
    case 'map':
    case 'object':
    case 'array':
      return writeJson(valueToJson(type, value));
    case 'string':
    case 'decimal':
    case 'date':
    case 'uuid':
    case 'ip':
      return value as string;
  }
};

/** A value as a cell of a staging table, whose columns are texts; null where there is none. */
export const cellOf = (
  type: Type,
  value: Value | undefined,
  fractionDigits?: number,
): string | null =>
  value === undefined || value === null ? null : valueText(type, value, fractionDigits);

/**
 * SQL of the value of a column. A text is left as it is, so that one that is too long is refused: a cast would cut it.
 *
 * @param sqlType in the words of `DESCRIBE TABLE`.
 * @param cell SQL of a cell of a staging table.
 */
export const castOf = (sqlType: string, cell: string): string => {
  if (sqlType.startsWith('VARCHAR')) return cell;
  if (sqlType === 'VARIANT') return `PARSE_JSON(${cell})`;
  if (sqlType === 'ARRAY') return `CAST(PARSE_JSON(${cell}) AS ARRAY)`;
  return `CAST(${cell} AS ${sqlType})`;
};
