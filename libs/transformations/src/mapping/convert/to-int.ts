import { canonicalDecimal, type IntType, type Json, JsonNumber } from '@penstock/schema';
import { type Column, refused } from './cell';

type Int = number | bigint;

/** Digits of the largest unsigned integer of 64 bits. */
const MAX_DIGITS = 20;
const WIDEST_INTEGER = { precision: MAX_DIGITS, scale: 0 };

/** Integers that a double represents exactly. */
const SHORT = /^-?(?:0|[1-9][0-9]{0,14})$/;

const WRITTEN = /^[+-]?[0-9]+$/;
const LEADING = /^[+-]?0*/;

/** Returns the integer in the representation of the type; undefined when it is out of range. */
const fitter = ({ bitSize, minimum, maximum }: IntType): ((value: Int) => Int | undefined) => {
  if (bitSize === 64)
    return (value) => (value >= minimum && value <= maximum ? BigInt(value) : undefined);
  const [low, high] = [Number(minimum), Number(maximum)];
  return (value) => (value >= low && value <= high ? Number(value) : undefined);
};

const ofNumberText = (to: IntType) => {
  const fit = fitter(to);
  return (text: string) => {
    if (SHORT.test(text)) return fit(Number(text) + 0);
    const integer = canonicalDecimal(text, WIDEST_INTEGER);
    return integer === undefined ? undefined : fit(BigInt(integer));
  };
};

const fromString = (_from: unknown, to: IntType) => {
  const fit = fitter(to);
  return (text: string) => {
    if (!WRITTEN.test(text)) return undefined;
    const digits = text.replace(LEADING, '');
    if (digits.length > MAX_DIGITS) return undefined;
    return fit(text.startsWith('-') ? -BigInt(digits) : BigInt(digits));
  };
};

const fromFloat = (_from: unknown, to: IntType) => {
  const fit = fitter(to);
  return (value: number) => {
    if (!Number.isFinite(value)) return undefined;
    const truncated = Math.trunc(value);
    const rounded = Math.abs(value - truncated) >= 0.5 ? truncated + Math.sign(value) : truncated;
    return fit(rounded + 0);
  };
};

const fromJson = (_from: unknown, to: IntType) => {
  const convert = ofNumberText(to);
  return (json: Json) => (json instanceof JsonNumber ? convert(json.text) : undefined);
};

export const TO_INT: Column<'int'> = {
  string: fromString,
  boolean: (_from, to) => {
    const fit = fitter(to);
    return to.bitSize === 8 ? (value) => fit(value ? 1 : 0) : undefined;
  },
  int: (_from, to) => fitter(to),
  float: fromFloat,
  decimal: (_from, to) => ofNumberText(to),
  datetime: refused,
  date: refused,
  time: refused,
  year: (_from, to) => fitter(to),
  uuid: refused,
  json: fromJson,
  ip: refused,
  array: refused,
  object: refused,
  map: refused,
};
