import { canonicalDecimal, compareDecimals } from '../texts/decimal';
import { LARGEST_FLOAT, parseFloatText } from '../texts/float';
import { compilePattern, PatternSyntaxError } from '../texts/pattern';
import type { DecimalType, FloatType, IntType, StringType } from '../type';
import type { Notation } from './notation';

const MAX_LENGTH = 4_294_967_295;

export const readStringType = (notation: Notation): StringType => {
  const values = notation.texts('values')?.map((value) => value.normalize('NFC'));
  const pattern = readPattern(notation);
  if (notation.has('values') && notation.has('pattern'))
    notation.refuse('pattern', 'cannot be combined with values');
  const maxLength = readMaxLength(notation);
  const maxByteLength = notation.smallInteger('maxByteLength', 1, MAX_LENGTH);
  return {
    kind: 'string',
    ...(values && { values }),
    ...(pattern !== undefined && { pattern }),
    ...(maxLength !== undefined && { maxLength }),
    ...(maxByteLength !== undefined && { maxByteLength }),
  };
};

const readPattern = (notation: Notation): string | undefined => {
  const pattern = notation.text('pattern');
  try {
    if (pattern !== undefined) compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternSyntaxError)) throw error;
    notation.refuse('pattern', `is not RE2 syntax: ${error.message}`);
  }
  return pattern;
};

/** `charLen` is another word for `maxLength`: both may be given when they are equal. The notation is written without it. */
const readMaxLength = (notation: Notation): number | undefined => {
  const length = notation.smallInteger('maxLength', 1, MAX_LENGTH);
  const alias = notation.smallInteger('charLen', 1, MAX_LENGTH);
  if (length !== undefined && alias !== undefined && length !== alias)
    notation.refuse('charLen', 'is an alias of maxLength and must be equal to it');
  return length ?? alias;
};

export const readIntType = (notation: Notation): IntType => {
  const bitSize = notation.requiredChoice('bitSize', [8, 16, 24, 32, 64], 64);
  const unsigned = notation.flag('unsigned');
  const [least, most] = intRange(bitSize, unsigned);
  const minimum = notation.integer('minimum', least, most) ?? least;
  const maximum = notation.integer('maximum', least, most) ?? most;
  if (minimum > maximum) notation.refuse('maximum', 'is less than the minimum');
  return { kind: 'int', bitSize, unsigned, minimum, maximum };
};

/** The natural extremes of a size and sign. */
export const intRange = (bitSize: number, unsigned: boolean): [least: bigint, most: bigint] => {
  const bits = BigInt(bitSize);
  return unsigned ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
};

export const readFloatType = (notation: Notation): FloatType => {
  const bitSize = notation.requiredChoice('bitSize', [32, 64], 64);
  const real = notation.flag('real');
  const [minimum, maximum] = [
    floatBound(notation, 'minimum', bitSize),
    floatBound(notation, 'maximum', bitSize),
  ];
  if (minimum !== undefined && maximum !== undefined && minimum > maximum)
    notation.refuse('maximum', 'is less than the minimum');
  const largest = LARGEST_FLOAT[bitSize];
  return {
    kind: 'float',
    bitSize,
    real,
    ...(minimum !== undefined && !(real && minimum === -largest) && { minimum }),
    ...(maximum !== undefined && !(real && maximum === largest) && { maximum }),
  };
};

const floatBound = (notation: Notation, key: string, bitSize: 32 | 64): number | undefined => {
  const text = notation.number(key);
  if (text === undefined) return undefined;
  return parseFloatText(text, bitSize) ?? notation.refuse(key, `does not fit ${bitSize} bits`);
};

export const readDecimalType = (notation: Notation): DecimalType => {
  if (!notation.has('precision')) notation.refuse('precision', 'is required');
  const precision = notation.smallInteger('precision', 1, 76) ?? 76;
  const scale = notation.smallInteger('scale', 0, 37) ?? 0;
  if (scale > precision) {
    notation.refuse('scale', 'is more than the precision');
    return { kind: 'decimal', precision, scale };
  }
  const limits = { precision, scale };
  const [minimum, maximum] = [
    decimalBound(notation, 'minimum', limits),
    decimalBound(notation, 'maximum', limits),
  ];
  if (minimum !== undefined && maximum !== undefined && compareDecimals(minimum, maximum) > 0)
    notation.refuse('maximum', 'is less than the minimum');
  const largest = largestDecimal(precision, scale);
  return {
    kind: 'decimal',
    precision,
    scale,
    ...(minimum !== undefined && minimum !== `-${largest}` && { minimum }),
    ...(maximum !== undefined && maximum !== largest && { maximum }),
  };
};

const decimalBound = (
  notation: Notation,
  key: string,
  limits: { precision: number; scale: number },
): string | undefined => {
  const text = notation.number(key);
  if (text === undefined) return undefined;
  const fits = `${limits.precision} digits, ${limits.scale} of them after the point`;
  return canonicalDecimal(text, limits) ?? notation.refuse(key, `does not fit ${fits}`);
};

/** (10^precision − 1) / 10^scale. */
const largestDecimal = (precision: number, scale: number): string => {
  const whole = '9'.repeat(precision - scale) || '0';
  return scale > 0 ? `${whole}.${'9'.repeat(scale)}` : whole;
};
