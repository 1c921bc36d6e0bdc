import {
  cutFraction,
  floatText,
  type JsonText,
  type Type,
  type Value,
  valueToJson,
  writeJson,
} from '@penstock/schema';

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

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** An array as PostgreSQL writes it. Source: PostgreSQL, "Arrays", "Array Input and Output Syntax". */
export const arrayText = (elements: readonly string[]): string =>
  `{${elements.map(quoted).join(',')}}`;

/**
 * The text from which PostgreSQL reads the value of a column, to the last digit.
 *
 * @param value of the type, not null; not checked.
 * @param fractionDigits that the column keeps of the seconds of times.
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
      return (value as JsonText).text;
    case 'map':
    case 'object':
      return writeJson(valueToJson(type, value));
    case 'array':
      return type.elementType.kind === 'json'
        ? writeJson(valueToJson(type, value))
        : arrayText((value as readonly Value[]).map((each) => columnText(type.elementType, each)));
    case 'string':
    case 'decimal':
    case 'date':
    case 'uuid':
    case 'ip':
      return value as string;
  }
};
