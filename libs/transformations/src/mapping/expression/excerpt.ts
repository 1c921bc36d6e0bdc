import { textOf, type Type, type Value } from '@penstock/schema';

/** Code points of an offending value that an error shows. */
const MAX_SHOWN = 100;

/** The beginning of a text, for an error. */
export const excerpt = (text: string): string => {
  const head = Array.from(text.slice(0, 2 * MAX_SHOWN));
  const isCut = text.length > 2 * MAX_SHOWN || head.length > MAX_SHOWN;
  return isCut ? head.slice(0, MAX_SHOWN).join('') : text;
};

/** The offending value as text. */
export const shown = (type: Type, value: NonNullable<Value>): string => textOf(type, value);
