import { canonicalDecimal, compareDecimals } from './decimal';

type FloatBits = 32 | 64;

/** The largest finite value of each bit size. */
export const LARGEST_FLOAT = { 32: (2 - 2 ** -23) * 2 ** 127, 64: Number.MAX_VALUE } as const;

/** Up to here every integer is a 32-bit float of its own. */
const LAST_DENSE_INTEGER = 2 ** 24;

/** Where the 32-bit float after the largest would be: what rounds to it overflows. */
const FLOAT32_OVERFLOW = 2 ** 128;

/**
 * The float nearest to a JSON number, ties to even. Underflow gives 0, never -0.
 *
 * @param text a JSON number.
 * @returns undefined on overflow.
 */
export const parseFloatText = (text: string, bitSize: FloatBits): number | undefined => {
  const double = Number(text);
  const value = bitSize === 64 ? double : roundTo32(text, double);
  return Number.isFinite(value) ? value + 0 : undefined;
};

/**
 * The text of a float: the shortest digits that read back to the same value of that bit size, in the notation
 * of ECMAScript's `Number::toString`; `NaN`, `Infinity` and `-Infinity`; negative zero is `0`.
 */
export const floatText = (value: number, bitSize: FloatBits): string => {
  const asDouble = bitSize === 64 || !Number.isFinite(value);
  if (asDouble || (Number.isInteger(value) && Math.abs(value) <= LAST_DENSE_INTEGER))
    return String(value);
  return value < 0 ? `-${shortest32(-value)}` : shortest32(value);
};

/** Nine digits distinguish any two 32-bit floats; fewer do for most. */
const shortest32 = (value: number): string => {
  for (let digits = 1; digits < 9; digits += 1) {
    const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e');
    const nearest = Number(mantissa.replace('.', ''));
    const place = Number(exponent) - digits + 1;
    for (const candidate of [evenOf(nearest, place, value), nearest, nearest + 1]) {
      const text = `${candidate}e${place}`;
      if (parseFloatText(text, 32) === value) return String(Number(text));
    }
  }
  return String(Number(value.toPrecision(9)));
};

/** Of two digit strings that are equally near, the even one; `toExponential` gives the larger. */
const evenOf = (nearest: number, place: number, value: number): number => {
  if (nearest % 2 === 0) return nearest;
  const middle = `${nearest * 10 - 5}e${place - 1}`;
  return Number(middle) === value && sideOf(middle, value) === 0 ? nearest - 1 : nearest;
};

/**
 * Rounding first to 64 and then to 32 bits goes wrong in one case only: the 64-bit value lies exactly in the
 * middle between two 32-bit ones, and the text a little to one side of it.
 */
const roundTo32 = (text: string, double: number): number => {
  const rounded = Math.fround(double);
  if (rounded === double) return rounded;
  const near = Number.isFinite(rounded) ? rounded : Math.sign(rounded) * FLOAT32_OVERFLOW;
  const other = 2 * double - near;
  const inTheMiddle = Math.fround(other) === other;
  const towardsOther = Math.sign(other - double);
  return inTheMiddle && sideOf(text, double) === towardsOther ? other : rounded;
};

/** -1, 0 or 1: whether the number in the text is below, at or above `double`. Exact. */
const sideOf = (text: string, double: number): number => {
  const unlimited = { precision: Number.MAX_SAFE_INTEGER, scale: 2 ** 30 };
  const [number = '', exact = ''] = [text, exactText(double)].map((each) =>
    canonicalDecimal(each, unlimited),
  );
  return Math.sign(compareDecimals(number, exact));
};

/** All digits of a finite double, as a JSON number. */
const exactText = (double: number): string => {
  let halvings = 0;
  while (!Number.isInteger(double * 2 ** halvings)) halvings += 1;
  return `${BigInt(double * 2 ** halvings) * 5n ** BigInt(halvings)}e-${halvings}`;
};
