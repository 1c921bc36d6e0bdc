import { type FloatType, type Json, JsonNumber, parseFloatText } from '@penstock/schema';
import { type Column, refused } from './cell';

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

const SPECIALS: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

const ofNumberText =
  (_from: unknown, { bitSize }: FloatType) =>
  (text: string) =>
    parseFloatText(text, bitSize);

const fromString =
  (_from: unknown, { bitSize }: FloatType) =>
  (text: string) =>
    NUMBER.test(text) ? parseFloatText(text, bitSize) : SPECIALS.get(text);

const fromInt =
  (_from: unknown, { bitSize }: FloatType) =>
  (value: number | bigint) =>
    parseFloatText(String(value), bitSize);

/** Refuses values that overflow from 64 to 32 bits; infinities are kept. */
const fromFloat = (_from: unknown, { bitSize }: FloatType) => {
  if (bitSize === 64) return (value: number) => value;
  return (value: number) => {
    const rounded = Math.fround(value) + 0;
    return Number.isFinite(value) && !Number.isFinite(rounded) ? undefined : rounded;
  };
};

const fromJson =
  (_from: unknown, { bitSize }: FloatType) =>
  (json: Json) =>
    json instanceof JsonNumber ? parseFloatText(json.text, bitSize) : undefined;

export const TO_FLOAT: Column<'float'> = {
  string: fromString,
  boolean: refused,
  int: fromInt,
  float: fromFloat,
  decimal: ofNumberText,
  datetime: refused,
  date: refused,
  time: refused,
  year: refused,
  uuid: refused,
  json: fromJson,
  ip: refused,
  array: refused,
  object: refused,
  map: refused,
};
