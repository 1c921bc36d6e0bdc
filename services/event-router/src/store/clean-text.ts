/** NUL, and surrogates that are no half of a pair. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
const EVERY_UNSTORABLE = new RegExp(UNSTORABLE, 'gu');

/**
 * Text as every database takes it: NUL and lone surrogates are replaced by U+FFFD. Text that holds none, as nearly all
 * does, is looked at once and returned as it is.
 */
export const cleanText = (text: string): string =>
  UNSTORABLE.test(text) ? text.replace(EVERY_UNSTORABLE, '\uFFFD') : text;
