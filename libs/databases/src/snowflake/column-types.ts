import { canonicalDecimal, type IntType, parseFloatText, type Type } from '@penstock/schema';
import { readJson } from '../database/read-json';
import { clockOf, dayOf, momentOf } from './protocol-times';
import { BadValue, type Counterpart, known, type Unsupported } from '../database/source-column';

/** A cell as the protocol has it. */
export type Cell = string;

/** A type in the words of the protocol. */
export interface SnowflakeType {
  readonly name: string;
  /** Digits of a number; null: it has no such thing. */
  readonly precision: number | null;
  /** Digits behind the point, or of the fractions of seconds. */
  readonly scale: number | null;
  /** Characters of a text; null: it is not known. */
  readonly length: number | null;
}

type Given = Counterpart<Cell> | Unsupported;
type CounterpartOf = (type: SnowflakeType) => Given;

/** Digits that every integer of 32 and of 64 bits can have. */
const DIGITS_32 = 9;
const DIGITS_64 = 18;

/** Characters of a text whose column says nothing. Source: Snowflake, "String & binary data types". */
const UNBOUNDED = 16_777_216;

/** Source: Snowflake, "Date & time data types": digits of what does not say them. */
const NANOSECONDS = 9;

/** Integers with so many digits. */
const intOf = (digits: number): IntType => {
  const maximum = 10n ** BigInt(digits) - 1n;
  const bitSize = digits <= DIGITS_32 ? 32 : 64;
  return { kind: 'int', bitSize, unsigned: false, minimum: -maximum, maximum };
};

const fixed: CounterpartOf = ({ precision, scale }) => {
  const limits = { precision: precision ?? 38, scale: scale ?? 0 };
  const what = `a decimal of ${String(limits.precision)} digits, ${String(limits.scale)} of them after the point`;
  const digits = (cell: Cell): string => known(canonicalDecimal(cell, limits), what);
  if (limits.scale === 0 && limits.precision <= DIGITS_32)
    return { type: intOf(limits.precision), read: (cell) => Number(digits(cell)) };
  if (limits.scale === 0 && limits.precision <= DIGITS_64)
    return { type: intOf(limits.precision), read: (cell) => BigInt(digits(cell)) };
  return { type: { kind: 'decimal', ...limits }, read: digits };
};

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['nan', NaN],
  ['inf', Infinity],
  ['infinity', Infinity],
  ['-inf', -Infinity],
  ['-infinity', -Infinity],
]);

const DIGITS = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

const finite = (cell: Cell): number | undefined =>
  DIGITS.test(cell) ? parseFloatText(cell, 64) : undefined;

const real: CounterpartOf = () => ({
  type: { kind: 'float', bitSize: 64, real: false },
  read: (cell) => SPECIAL.get(cell.toLowerCase()) ?? known(finite(cell), 'a number'),
});

/** What no text may hold: NUL, and surrogates without their partners. */
const UNCLEAN = /[\0\p{Surrogate}]/u;

const string: CounterpartOf = ({ length }) => {
  const type: Type =
    length === null || length >= UNBOUNDED
      ? { kind: 'string' }
      : { kind: 'string', maxLength: length };
  const read = (cell: Cell): string => {
    if (UNCLEAN.test(cell)) throw new BadValue('holds NUL or half a character');
    return cell;
  };
  return { type, read };
};

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);

const boolean: CounterpartOf = () => ({
  type: { kind: 'boolean' },
  read: (cell) => known(TRUTHS.get(cell.toLowerCase()), 'a boolean'),
});

const date: CounterpartOf = () => ({
  type: { kind: 'date' },
  read: (cell) => known(dayOf(cell), 'a day of the years 1 to 9999'),
});

const time: CounterpartOf = ({ scale }) => ({
  type: { kind: 'time' },
  read: (cell) => known(clockOf(cell), 'a time of day before 24:00'),
  fractionDigits: scale ?? NANOSECONDS,
});

/** The zone of a time, if it has one, stands behind a space: the moment is another matter. */
const moment: CounterpartOf = ({ scale }) => ({
  type: { kind: 'datetime' },
  read: (cell) => known(momentOf(cell.split(' ', 1)[0] ?? ''), 'a time of the years 1 to 9999'),
  fractionDigits: scale ?? NANOSECONDS,
});

const json: CounterpartOf = () => ({
  type: { kind: 'json' },
  read: (cell) => readJson(cell),
});

/** Source: the official drivers, types of columns. */
const COUNTERPARTS: ReadonlyMap<string, CounterpartOf> = new Map<string, CounterpartOf>([
  ['fixed', fixed],
  ['real', real],
  ['text', string],
  ['boolean', boolean],
  ['date', date],
  ['time', time],
  ['timestamp_ntz', moment],
  ['timestamp_ltz', moment],
  ['timestamp_tz', moment],
  ['variant', json],
  ['object', json],
  ['array', json],
  ['map', json],
]);

/** What a column becomes. */
export const snowflakeCounterpart = (type: SnowflakeType): Given =>
  COUNTERPARTS.get(type.name)?.(type) ?? { unsupported: type.name.toUpperCase() };
