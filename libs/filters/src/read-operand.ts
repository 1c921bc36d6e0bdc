import {
  canonicalDate,
  canonicalDateTime,
  canonicalDecimal,
  canonicalIp,
  canonicalTime,
  canonicalUuid,
  floatText,
  type FloatType,
  type IntType,
  type Type,
} from '@penstock/schema';

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

const SIGNED = /^[+-]?(?:0|[1-9]\d*)$/;
const UNSIGNED = /^(?:0|[1-9]\d*)$/;

/** Within 64 bits, whatever the size and the bounds of the property: such an operand just matches nothing. */
const readInt = (text: string, { unsigned }: IntType): string | undefined => {
  if (!(unsigned ? UNSIGNED : SIGNED).test(text)) return undefined;
  const value = BigInt(withoutPlus(text));
  const [minimum, maximum] = unsigned ? [0n, MAX_UINT64] : [MIN_INT64, MAX_INT64];
  return value >= minimum && value <= maximum ? String(value) : undefined;
};

const NUMBER = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const withoutPlus = (text: string): string => (text.startsWith('+') ? text.slice(1) : text);

const readFloat = (text: string, { bitSize }: FloatType): string | undefined => {
  if (!NUMBER.test(text)) return undefined;
  const value = bitSize === 32 ? Math.fround(Number(text)) : Number(text);
  return Number.isFinite(value) ? floatText(value, bitSize) : undefined;
};

const readDecimal = (text: string): string | undefined =>
  NUMBER.test(text) ? canonicalDecimal(withoutPlus(text)) : undefined;

const readYear = (text: string): string | undefined =>
  /^\d{1,4}$/.test(text) && Number(text) > 0 ? String(Number(text)) : undefined;

const readString = (text: string, values: readonly string[] | undefined): string | undefined =>
  values === undefined || values.includes(text) ? text : undefined;

/**
 * An operand in the form in which it is stored and read back; reading that again gives the same.
 *
 * @param text already of an admissible length.
 * @returns undefined when it is no operand of the type.
 */
export const readOperand = (type: Type, text: string): string | undefined => {
  switch (type.kind) {
    case 'string':
      return readString(text, type.values);
    case 'int':
      return readInt(text, type);
    case 'float':
      return readFloat(text, type);
    case 'decimal':
      return readDecimal(text);
    case 'datetime':
      return canonicalDateTime(text);
    case 'date':
      return canonicalDate(text);
    case 'time':
      return canonicalTime(text);
    case 'year':
      return readYear(text);
    case 'uuid':
      return canonicalUuid(text);
    case 'ip':
      return canonicalIp(text);
    default:
      return text;
  }
};
