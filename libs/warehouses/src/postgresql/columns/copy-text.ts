import {
  type ArrayType,
  cutFraction,
  floatText,
  type JsonText,
  type Type,
  type Value,
  valueToJson,
  writeJson,
} from '@penstock/schema';
import { Unwritable } from '../../merging/unwritable';
import { hasPlainNumbers } from './plain-numbers';

/** How the text format of COPY writes what is absent. */
export const COPY_NULL = '\\N';

const SPECIAL = /[\\\n\r\t]/;
const ALL_SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** A text as a field of the text format of COPY. Source: PostgreSQL, "COPY", "Text Format". */
export const copyText = (text: string): string =>
  SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (char) => ESCAPED[char] ?? char) : text;

/** Digits of the fractions of seconds that PostgreSQL keeps. It would round: digits below are cut off. */
const MICROSECONDS = 6;

const IN_QUOTES = /["\\]/;
const ALL_IN_QUOTES = /["\\]/g;

const quoted = (text: string): string =>
  IN_QUOTES.test(text) ? `"${text.replace(ALL_IN_QUOTES, '\\$&')}"` : `"${text}"`;

/** An array as PostgreSQL writes it. Source: PostgreSQL, "Arrays", "Array Input and Output Syntax". */
export const arrayText = (elements: readonly string[]): string =>
  `{${elements.map(quoted).join(',')}}`;

const readable = (json: string): string => {
  if (hasPlainNumbers(json)) return json;
  throw new Unwritable('the numbers have too many digits when they are written without exponents');
};

/** What is JSON in it is bounded together. */
const arrayColumnText = (type: ArrayType, value: readonly Value[]): string => {
  const { elementType } = type;
  if (elementType.kind !== 'json' && elementType.kind !== 'map')
    return arrayText(value.map((each) => columnText(elementType, each)));
  const json = readable(writeJson(valueToJson(type, value)));
  return elementType.kind === 'json'
    ? json
    : arrayText(value.map((each) => columnText(elementType, each)));
};

/**
 * The text from which PostgreSQL reads the value of a column, to the last digit.
 *
 * @param value of the type, not null; not checked.
 * @param fractionDigits that the column keeps of the seconds of times.
 * @throws Unwritable for JSON that is far longer when it is read than when it is written
 */
export const columnText = (type: Type, value: Value, fractionDigits = MICROSECONDS): string => {
  switch (type.kind) {
    case 'int':
    case 'year':
    case 'boolean':
      return (value as number | bigint | boolean).toString();
    case 'float':
      return floatText(value as number, type.bitSize);
    case 'datetime':
    case 'time':
      return cutFraction(value as string, fractionDigits);
    case 'json':
      return readable((value as JsonText).text);
    case 'map':
    case 'object':
      return readable(writeJson(valueToJson(type, value)));
    case 'array':
      return arrayColumnText(type, value as readonly Value[]);
    case 'string':
    case 'decimal':
    case 'date':
    case 'uuid':
    case 'ip':
      return value as string;
  }
};
