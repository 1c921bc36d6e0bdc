import {
  canonicalDate,
  canonicalDateTime,
  canonicalDecimal,
  canonicalIp,
  canonicalTime,
  parseFloatText,
  type PlainType,
  type StringType,
  type Type,
} from '@penstock/schema';
import { intType } from '../database/int-type';
import { readJson } from '../database/read-json';
import { type Counterpart, known, type Unsupported } from '../database/source-column';

/** Source: PostgreSQL, `atttypmod` is the length and four more bytes. */
const MODIFIER_BASE = 4;

/** Of the type `decimal`. */
const MAX_PRECISION = 76;
const MAX_SCALE = 37;

type Text = Counterpart<string>;
/** @param modifier the type's own, such as its length; -1: none. */
type CounterpartOf = (modifier: number) => Text | Unsupported;

const small = (bitSize: 16 | 32, unsigned = false): CounterpartOf => {
  const counterpart = { type: intType(bitSize, unsigned), read: Number };
  return () => counterpart;
};

const float = (bitSize: 32 | 64): CounterpartOf => {
  const special = new Map([
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['-Infinity', -Infinity],
  ]);
  const read = (text: string): number =>
    special.get(text) ?? known(parseFloatText(text, bitSize), 'a number of its size');
  return () => ({ type: { kind: 'float', bitSize, real: false }, read });
};

const plain = (
  kind: PlainType['kind'],
  what: string,
  canonical: (text: string) => string | undefined,
): CounterpartOf => {
  const counterpart: Text = { type: { kind }, read: (text) => known(canonical(text), what) };
  return () => counterpart;
};

/** Source: PostgreSQL, "Date/Time Types": what a column keeps that does not say it. */
const MICROSECONDS = 6;

/** A type of times, whose modifier is their precision. */
const moments = (
  kind: 'datetime' | 'time',
  what: string,
  canonical: (text: string) => string | undefined,
): CounterpartOf => {
  const read = (text: string): string => known(canonical(text), what);
  return (modifier) => ({
    ...{ type: { kind }, read },
    fractionDigits: modifier < 0 ? MICROSECONDS : modifier,
  });
};

const flag = (yes: string): Text => ({ type: { kind: 'boolean' }, read: (text) => text === yes });

const string: CounterpartOf = (modifier) => {
  const type: StringType =
    modifier > MODIFIER_BASE
      ? { kind: 'string', maxLength: modifier - MODIFIER_BASE }
      : { kind: 'string' };
  return { type, read: (text) => text };
};

/** Source: PostgreSQL, numeric.c: the scale is a signed number of 11 bits. */
const limitsOf = (modifier: number) => {
  const packed = modifier - MODIFIER_BASE;
  const scale = ((packed & 0x7ff) ^ 0x400) - 0x400;
  const precision = (packed >> 16) & 0xffff;
  return scale < 0
    ? { precision: precision - scale, scale: 0 }
    : { precision: Math.max(precision, scale), scale };
};

const numeric: CounterpartOf = (modifier) => {
  const { precision, scale } =
    modifier < 0 ? { precision: MAX_PRECISION, scale: MAX_SCALE } : limitsOf(modifier);
  if (precision > MAX_PRECISION || scale > MAX_SCALE)
    return { unsupported: `numeric(${String(precision)},${String(scale)})` };
  const what = `a decimal of ${String(precision)} digits, ${String(scale)} of them after the point`;
  return {
    type: { kind: 'decimal', precision, scale },
    read: (text) => known(canonicalDecimal(text, { precision, scale }), what),
  };
};

const bit: CounterpartOf = (length) =>
  length === 1 ? flag('1') : { unsupported: `bit(${String(length)})` };

const DATE_TIME = 'a time of the years 1 to 9999';

/** The counterparts of the built-in types by their OIDs. Source: PostgreSQL, pg_type.dat. */
const COUNTERPARTS: ReadonlyMap<number, CounterpartOf> = new Map<number, CounterpartOf>([
  [16, () => flag('t')],
  [18, string],
  [19, string],
  [20, () => ({ type: intType(64), read: BigInt })],
  [21, small(16)],
  [23, small(32)],
  [25, string],
  [26, small(32, true)],
  [114, () => ({ type: { kind: 'json' }, read: readJson })],
  [700, float(32)],
  [701, float(64)],
  [869, plain('ip', 'an address without a prefix length', canonicalIp)],
  [1042, string],
  [1043, string],
  [1082, plain('date', 'a day of the years 1 to 9999', canonicalDate)],
  [1083, moments('time', 'a time of day before 24:00', canonicalTime)],
  [1114, moments('datetime', DATE_TIME, canonicalDateTime)],
  [1184, moments('datetime', DATE_TIME, canonicalDateTime)],
  [1560, bit],
  [1700, numeric],
  [2950, plain('uuid', 'a UUID', (text) => text)],
  [3802, () => ({ type: { kind: 'json' }, read: readJson })],
]);

/** The counterpart of a built-in type; undefined when the catalogue has to say what the type is. */
export const builtInCounterpart = (
  oid: number,
  modifier: number,
): Counterpart<string> | Unsupported | undefined => COUNTERPARTS.get(oid)?.(modifier);

/** The counterpart of an enumeration with these labels. */
export const enumCounterpart = (labels: readonly string[]): Counterpart<string> => {
  const type: Type = { kind: 'string', values: labels.map((label) => label.normalize()) };
  return { type, read: (text) => text.normalize() };
};
