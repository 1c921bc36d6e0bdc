import { escapeLiteral } from 'pg';

const NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Digits before and after the point of the numbers that PostgreSQL can hold. Source: "Numeric Types". */
const MAX_WHOLE = 131_072n;
const MAX_FRACTION = 16_383n;

/** Whether a number of JSON could be in the database. */
const canBeHeld = (text: string): boolean => {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const shift = BigInt(exponent);
  return (
    BigInt(whole.length) + shift <= MAX_WHOLE && BigInt(fraction.length) - shift <= MAX_FRACTION
  );
};

const ZERO = /^-?0(?:\.0+)?(?:[eE][+-]?\d+)?$/;

/**
 * SQL of the JSON values that an operand stands for: a text and, where it is one, a number. PostgreSQL compares numbers
 * in JSON exactly.
 */
export const jsonOperands = (operand: string): readonly string[] => {
  const texts = /\p{Surrogate}/u.test(operand) ? [] : [`to_jsonb(${escapeLiteral(operand)}::text)`];
  if (!NUMBER.test(operand)) return texts;
  if (ZERO.test(operand)) return [...texts, `'0'::jsonb`];
  return canBeHeld(operand) ? [...texts, `${escapeLiteral(operand)}::jsonb`] : texts;
};
