import { type Decimal, decimalKey, decimalOfFloat, parseDecimal } from '../types/decimal';

/** Equal for equal numbers; undefined equals nothing, not even itself. */
export type NumberKey = string | undefined;

const INFINITIES: ReadonlySet<string> = new Set(['Infinity', '-Infinity']);

const keyOf = (number: Decimal | undefined): NumberKey => number && decimalKey(number);

/** Key of a JSON number or the name of a special float; undefined for any other text. */
export const keyOfText = (text: string): NumberKey =>
  INFINITIES.has(text) ? text : keyOf(parseDecimal(text));

/** Key of the decimal value of a float. */
export const keyOfFloat = (value: number, bitSize: 32 | 64): NumberKey =>
  Math.abs(value) === Infinity ? String(value) : keyOf(decimalOfFloat(value, bitSize));

export const sameKey = (a: NumberKey, b: NumberKey): boolean => a !== undefined && a === b;

/** Whether two JSON numbers are equal by value. */
export const sameNumberText = (a: string, b: string): boolean =>
  a === b || sameKey(keyOfText(a), keyOfText(b));
