import {
  canonicalDate,
  canonicalDateTime,
  canonicalDecimal,
  canonicalIp,
  canonicalTime,
  canonicalUuid,
  type DecimalType,
  type FloatType,
  type IntType,
  type Json,
  JsonNumber,
  parseFloatText,
  type Value,
} from '@penstock/schema';
import { type Tag, taggedOf, TAGS } from './tagged';
import type { FunctionLanguage } from './transformation-function';

/** Reads a value of the guest; undefined when it is not a value of the kind. */
export type ReadScalar = (json: Json) => NonNullable<Value> | undefined;

const INTEGER = /^-?(?:0|[1-9]\d{0,19})$/;
const WIDEST_DECIMAL = 200;
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

/** Returns the text of the guest's string, or of a value with one of the tags. */
const textOf = (json: Json, ...tags: readonly Tag[]): string | undefined => {
  if (typeof json !== 'string') return undefined;
  const tagged = taggedOf(json);
  if (!tagged) return json;
  return tagged.tag === TAGS.text || tags.includes(tagged.tag) ? tagged.text : undefined;
};

/** Returns the text of a value with this tag only. */
const only = (json: Json, tag: Tag): string | undefined => {
  const tagged = typeof json === 'string' ? taggedOf(json) : undefined;
  return tagged?.tag === tag ? tagged.text : undefined;
};

const numberText = (json: Json): string | undefined =>
  json instanceof JsonNumber ? json.text : undefined;

const accept = <T>(text: string | undefined, read: (text: string) => T | undefined) =>
  text === undefined ? undefined : read(text);

export const readString: ReadScalar = (json) => textOf(json);

export const readBoolean: ReadScalar = (json) => (typeof json === 'boolean' ? json : undefined);

export const readSmallInteger: ReadScalar = (json) =>
  accept(numberText(json), (text) => (INTEGER.test(text) ? Number(text) + 0 : undefined));

const integer = (text: string): bigint | undefined =>
  INTEGER.test(text) ? BigInt(text) : undefined;

const safeInteger = (text: string): bigint | undefined =>
  Number.isSafeInteger(Number(text)) ? integer(text) : undefined;

/** Refuses JavaScript's numbers above 2^53, whose last digits are not exact. */
const readLargeInteger =
  (language: FunctionLanguage): ReadScalar =>
  (json) => {
    const number = numberText(json);
    if (number !== undefined) return language === 'Python' ? integer(number) : safeInteger(number);
    return language === 'Python' ? undefined : accept(textOf(json, TAGS.integer), integer);
  };

export const readInteger = ({ bitSize }: IntType, language: FunctionLanguage): ReadScalar =>
  bitSize === 64 ? readLargeInteger(language) : readSmallInteger;

export const readFloat =
  ({ bitSize }: FloatType): ReadScalar =>
  (json) => {
    const special = only(json, TAGS.float);
    if (special !== undefined) return SPECIAL.get(special);
    return accept(numberText(json), (text) => parseFloatText(text, bitSize));
  };

export const readDecimal =
  (type: DecimalType): ReadScalar =>
  (json) =>
    accept(numberText(json) ?? textOf(json, TAGS.decimal), (text) =>
      text.length <= WIDEST_DECIMAL ? canonicalDecimal(text, type) : undefined,
    );

export const readDateTime: ReadScalar = (json) =>
  accept(textOf(json, TAGS.moment), canonicalDateTime);

export const readDate: ReadScalar = (json) => accept(textOf(json, TAGS.date), canonicalDate);

export const readTime: ReadScalar = (json) => accept(textOf(json, TAGS.time), canonicalTime);

export const readUuid: ReadScalar = (json) => accept(textOf(json, TAGS.uuid), canonicalUuid);

export const readIp: ReadScalar = (json) => accept(textOf(json, TAGS.ip), canonicalIp);
