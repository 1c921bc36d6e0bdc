import {
  canonicalDecimal,
  type DecimalType,
  type FloatType,
  type Json,
  JsonNumber,
} from '@penstock/schema';
import { decimalOfFloat, fits, plainText, round } from '../types/decimal';
import { type Column, refused } from './cell';

const ofNumberText = (_from: unknown, to: DecimalType) => (text: string) =>
  canonicalDecimal(text, to);

const fromInt = (_from: unknown, to: DecimalType) => (value: number | bigint) =>
  canonicalDecimal(String(value), to);

/** Passes values of a narrower type unchanged. */
const fromDecimal = (from: DecimalType, to: DecimalType) => {
  const wholeDigits = ({ precision, scale }: DecimalType) => precision - scale;
  const isNarrower = from.scale <= to.scale && wholeDigits(from) <= wholeDigits(to);
  return isNarrower ? (text: string) => text : ofNumberText(from, to);
};

const fromFloat =
  ({ bitSize }: FloatType, { precision, scale }: DecimalType) =>
  (value: number) => {
    const exact = decimalOfFloat(value, bitSize);
    const rounded = exact && round(exact, scale);
    return rounded && fits(rounded, precision, scale) ? plainText(rounded) : undefined;
  };

const fromJson = (_from: unknown, to: DecimalType) => (json: Json) =>
  json instanceof JsonNumber ? canonicalDecimal(json.text, to) : undefined;

export const TO_DECIMAL: Column<'decimal'> = {
  string: ofNumberText,
  boolean: refused,
  int: fromInt,
  float: fromFloat,
  decimal: fromDecimal,
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
