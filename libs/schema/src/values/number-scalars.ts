import { canonicalDecimal, compareDecimals } from '../texts/decimal';
import { floatText, parseFloatText } from '../texts/float';
import type { DecimalType, FloatType, IntType } from '../type';
import type { Value } from '../value';
import type { Scalar } from './scalar-codec';

const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** No integer of 64 bits is longer. */
const MAX_INTEGER_LENGTH = 20;

const SPECIAL_FLOATS: ReadonlyMap<string, number> = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

const isNumber = (value: Value): value is number => typeof value === 'number';
const isInteger = (value: Value): value is number => Number.isInteger(value);
const isBigint = (value: Value): value is bigint => typeof value === 'bigint';
const never = (): boolean => false;

/** Integers of up to 32 bits, and years. Both ends included. */
export const smallInteger = (minimum: number, maximum: number): Scalar<number> => ({
  expected: 'an integer, written without fraction and exponent',
  fromNumber: (text) => (INTEGER.test(text) ? Number(text) + 0 : undefined),
  is: isInteger,
  refuse: (value) =>
    value >= minimum && value <= maximum ? undefined : outOfRange(minimum, maximum),
  text: (value) => String(value),
  isQuoted: never,
});

/** Integers of 64 bits, which JSON strings may hold too: many readers of JSON would round them. */
export const largeInteger = ({ minimum, maximum }: IntType): Scalar<bigint> => ({
  expected: 'an integer of 64 bits, written without fraction and exponent',
  fromNumber: parseLargeInteger,
  fromString: parseLargeInteger,
  is: isBigint,
  refuse: (value) =>
    value >= minimum && value <= maximum ? undefined : outOfRange(minimum, maximum),
  text: (value) => String(value),
  isQuoted: never,
});

const parseLargeInteger = (text: string): bigint | undefined =>
  text.length <= MAX_INTEGER_LENGTH && INTEGER.test(text) ? BigInt(text) : undefined;

export const float = ({ bitSize, real, minimum, maximum }: FloatType): Scalar<number> => {
  const bounded = minimum !== undefined || maximum !== undefined;
  const [least, most] = [minimum ?? -Infinity, maximum ?? Infinity];
  return {
    expected: `a number that fits ${bitSize} bits${real ? '' : ', or "NaN", "Infinity", "-Infinity"'}`,
    fromNumber: (text) => parseFloatText(text, bitSize),
    fromString: (text) => SPECIAL_FLOATS.get(text),
    is: isNumber,
    refuse: (value) => {
      if (real && !Number.isFinite(value)) return 'must be a finite number';
      if (bitSize === 32 && !Object.is(Math.fround(value), value)) return 'must fit 32 bits';
      const inside = bounded ? value >= least && value <= most : true;
      return inside ? undefined : outOfRange(least, most);
    },
    text: (value) => floatText(value, bitSize),
    isQuoted: (value) => !Number.isFinite(value),
  };
};

export const decimal = (type: DecimalType): Scalar<string> => {
  const { precision, scale, minimum, maximum } = type;
  const canonical = (text: string): string | undefined => canonicalDecimal(text, type);
  return {
    expected: `a number of at most ${precision} digits, ${scale} of them after the point`,
    fromNumber: canonical,
    is: (value): value is string => typeof value === 'string' && canonical(value) === value,
    refuse: (value) => {
      const inside =
        (minimum === undefined || compareDecimals(value, minimum) >= 0) &&
        (maximum === undefined || compareDecimals(value, maximum) <= 0);
      return inside ? undefined : outOfRange(minimum ?? '-Infinity', maximum ?? 'Infinity');
    },
    text: (value) => value,
    isQuoted: never,
  };
};

const outOfRange = <Bound extends number | bigint | string>(
  minimum: Bound,
  maximum: Bound,
): string => `must be between ${minimum} and ${maximum}`;
