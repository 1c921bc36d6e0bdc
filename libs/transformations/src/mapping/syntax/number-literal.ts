import { canonicalDecimal, type Type, type Value } from '@penstock/schema';
import { DECIMAL, INT32, INT64 } from '../types/plain-types';

const MAX_INT64_DIGITS = 19;

interface TypedNumber {
  readonly type: Type;
  readonly value: Value;
}

/**
 * Parses a number in JSON syntax: an integer is an int of 32 bits, or of 64 when necessary, any other number a decimal.
 * Undefined when it has more digits than a decimal can hold.
 */
export const numberLiteral = (text: string): TypedNumber | undefined => {
  const plain = canonicalDecimal(text);
  if (plain === undefined) return undefined;
  const isLong = plain.length > MAX_INT64_DIGITS + '-'.length;
  if (isLong || plain.includes('.')) return { type: DECIMAL, value: plain };
  const integer = BigInt(plain);
  if (integer >= INT32.minimum && integer <= INT32.maximum)
    return { type: INT32, value: Number(integer) };
  const isInt64 = integer >= INT64.minimum && integer <= INT64.maximum;
  return isInt64 ? { type: INT64, value: integer } : { type: DECIMAL, value: plain };
};
