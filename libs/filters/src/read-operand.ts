import {
  canonicalDate,
  canonicalDateTime,
  canonicalDecimal,
  canonicalIp,
  canonicalTime,
  canonicalUuid,
  floatText,
  parseFloatText,
  type FloatType,
  type IntType,
  type Kind,
  type StringType,
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
  const value = parseFloatText(withoutPlus(text), bitSize);
  return value === undefined ? undefined : floatText(value, bitSize);
};

const readDecimal = (text: string): string | undefined =>
  NUMBER.test(text) ? canonicalDecimal(withoutPlus(text)) : undefined;

const readYear = (text: string): string | undefined =>
  /^\d{1,4}$/.test(text) && Number(text) > 0 ? String(Number(text)) : undefined;

const readString = (text: string, { values }: StringType): string | undefined =>
  values === undefined || values.includes(text) ? text : undefined;

/** The kinds of which every type reads operands in the same way. */
const READERS: Readonly<Partial<Record<Kind, (text: string) => string | undefined>>> = {
  decimal: readDecimal,
  datetime: canonicalDateTime,
  date: canonicalDate,
  time: canonicalTime,
  year: readYear,
  uuid: canonicalUuid,
  ip: canonicalIp,
  json: (text) => text,
};

/**
 * An operand in the form in which it is stored and read back; reading that again gives the same.
 *
 * @param text already of an admissible length.
 * @returns undefined when it is no operand of the type.
 */
export const readOperand = (type: Type, text: string): string | undefined => {
  if (type.kind === 'string') return readString(text, type);
  if (type.kind === 'int') return readInt(text, type);
  return type.kind === 'float' ? readFloat(text, type) : READERS[type.kind]?.(text);
};
