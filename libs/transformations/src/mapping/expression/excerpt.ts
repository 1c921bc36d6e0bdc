import { textOf, type Type, type Value } from '@penstock/schema';

/** Code points of an offending value that an error quotes. */
const MAX_SHOWN = 100;

/** Cuts a text for an error. */
export const excerpt = (text: string): string => {
  const head = Array.from(text.slice(0, 2 * MAX_SHOWN));
  const isCut = text.length > 2 * MAX_SHOWN || head.length > MAX_SHOWN;
  return isCut ? head.slice(0, MAX_SHOWN).join('') : text;
};

/** Converts the offending value to text. */
export const shown = (type: Type, value: NonNullable<Value>): string => textOf(type, value);
