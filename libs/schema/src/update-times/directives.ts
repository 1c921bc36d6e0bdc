/** The part of a time that a directive gives. */
export type Part =
  | 'year'
  | 'month'
  | 'day'
  | 'dayOfYear'
  | 'hour'
  | 'half'
  | 'minute'
  | 'second'
  | 'fraction'
  | 'offset'
  | 'zone'
  | 'weekday';

/** What a directive matches and what it gives. */
export interface Directive {
  readonly part: Part;
  /** A regular expression. */
  readonly pattern: string;
  /** The part in digits, from what was matched in lower case. */
  readonly value: (matched: string) => string;
}

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const shortened = (name: string): string => name.slice(0, 3);

const inAnyCase = (words: readonly string[]): string =>
  words
    .map((word) => word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`))
    .join('|');

const same = (matched: string): string => matched;

const digits = (part: Part, pattern: string): Directive => ({ part, pattern, value: same });

const month = (names: readonly string[]): Directive => ({
  part: 'month',
  pattern: inAnyCase(names),
  value: (matched) => String(names.indexOf(matched) + 1),
});

const words = (part: Part, names: readonly string[]): Directive => ({
  part,
  pattern: inAnyCase(names),
  value: same,
});

/** The first year of two digits that is of the twentieth century. */
const FIRST_OF_1900S = 69;

/** Directive → what it matches; the character after the `%`. Leading zeros may be left out, but not of years. */
export const DIRECTIVES: ReadonlyMap<string, Directive> = new Map([
  ['Y', digits('year', '\\d{4}')],
  [
    'y',
    {
      part: 'year',
      pattern: '\\d\\d',
      value: (matched) => `${Number(matched) < FIRST_OF_1900S ? '20' : '19'}${matched}`,
    },
  ],
  ['m', digits('month', '1[0-2]|0?[1-9]')],
  ['b', month(MONTHS.map(shortened))],
  ['B', month(MONTHS)],
  ['d', digits('day', '3[01]|[12]\\d|0?[1-9]')],
  ['j', digits('dayOfYear', '[0-3]\\d\\d|\\d{1,2}')],
  ['H', digits('hour', '2[0-3]|[01]\\d|\\d')],
  ['I', digits('hour', '1[0-2]|0?[1-9]')],
  ['p', words('half', ['am', 'pm'])],
  ['M', digits('minute', '[0-5]\\d|\\d')],
  ['S', digits('second', '[0-5]\\d|\\d')],
  ['f', digits('fraction', '\\d{1,9}')],
  ['z', digits('offset', '[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?|[Zz]')],
  ['Z', words('zone', ['utc', 'gmt', 'z'])],
  ['a', words('weekday', DAYS.map(shortened))],
  ['A', words('weekday', DAYS)],
]);
