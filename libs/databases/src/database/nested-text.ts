import { BadValue } from './source-column';

/** Characters of JSON, or of an array, in a row. Each may be a value of its own, which takes much more memory. */
const MAX_CHARACTERS = 4_194_304;

/** @throws BadValue when a text is too long to be taken apart. */
export const checkNestedText = (text: string): void => {
  if (text.length > MAX_CHARACTERS)
    throw new BadValue(`has more than ${String(MAX_CHARACTERS)} characters`);
};
