import { snowflakeFloat } from '@penstock/databases';
import {
  cutFraction,
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  parseJson,
  textOf,
  type Type,
  type Value,
  valueToJson,
  writeJson,
} from '@penstock/schema';
import { Unwritable } from '../../merging/unwritable';
import { variantNumber } from './variant-number';

/** Digits of the fractions of seconds that Snowflake keeps. */
const NANOSECONDS = 9;

const kept = (json: Json): Json => {
  if (isJsonArray(json)) return json.map(kept);
  if (isJsonObject(json)) return new Map(Array.from(json, ([name, each]) => [name, kept(each)]));
  if (!(json instanceof JsonNumber)) return json;
  const text = variantNumber(json.text);
  if (text === undefined) throw new Unwritable('a number has more digits than Snowflake keeps');
  return new JsonNumber(text);
};

/** JSON as a `VARIANT` keeps it. @throws Unwritable for a number that would be rounded */
const variantText = (json: Json): string => writeJson(kept(json));

/** Moments have their zone: what a session takes without one is another matter. */
const momentText = (text: string): string => text.replace('T', ' ').replace('Z', '+00:00');

/**
 * The text that {@link stagedSql} makes the value of a column of, to the last digit. Digits below its precision are cut off.
 *
 * @param value of the type, not null; not checked.
 * @param fractionDigits that the column keeps of the seconds of times.
 * @throws Unwritable for a number in JSON that would be rounded
 */
export const stagedText = (type: Type, value: Value, fractionDigits = NANOSECONDS): string => {
  switch (type.kind) {
    case 'float':
      return snowflakeFloat(value as number);
    case 'datetime':
      return momentText(cutFraction(textOf(type, value), fractionDigits));
    case 'time':
      return cutFraction(textOf(type, value), fractionDigits);
    case 'json':
      return variantText(parseJson(textOf(type, value)));
    case 'map':
    case 'object':
    case 'array':
      return variantText(valueToJson(type, value));
    default:
      return textOf(type, value);
  }
};

/**
 * SQL of the value of a column, which its text was staged of. A text is not cast: it would be cut off where the column has no room
 * for it.
 *
 * @param sqlType of the column, in the words of `DESCRIBE TABLE`.
 * @param staged SQL of the text of {@link stagedText}, or of null.
 */
export const stagedSql = (sqlType: string, staged: string): string => {
  if (sqlType.startsWith('VARCHAR')) return staged;
  if (sqlType === 'VARIANT') return `PARSE_JSON(${staged})`;
  if (sqlType === 'ARRAY') return `CAST(PARSE_JSON(${staged}) AS ARRAY)`;
  return `CAST(${staged} AS ${sqlType})`;
};
