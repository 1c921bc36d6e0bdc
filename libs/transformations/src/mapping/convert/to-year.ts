import { canonicalDecimal, type Json, JsonNumber } from '@penstock/schema';
import { type Column, refused } from './cell';

const WRITTEN = /^[0-9]{1,4}$/;
const FOUR_DIGITS = { precision: 4, scale: 0 };

const fit = (value: number | bigint) => (value >= 1 && value <= 9999 ? Number(value) : undefined);

const fromJson = (json: Json) => {
  if (!(json instanceof JsonNumber)) return undefined;
  const integer = canonicalDecimal(json.text, FOUR_DIGITS);
  return integer === undefined ? undefined : fit(Number(integer));
};

export const TO_YEAR: Column<'year'> = {
  string: () => (text) => (WRITTEN.test(text) ? fit(Number(text)) : undefined),
  boolean: refused,
  int: () => fit,
  float: refused,
  decimal: refused,
  datetime: refused,
  date: refused,
  time: refused,
  year: () => (value) => value,
  uuid: refused,
  json: () => fromJson,
  ip: refused,
  array: refused,
  object: refused,
  map: refused,
};
