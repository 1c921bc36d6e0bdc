/** NUL, and unpaired surrogates. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
const EVERY_UNSTORABLE = new RegExp(UNSTORABLE, 'gu');

/**
 * Text that PostgreSQL accepts: NUL and lone surrogates are replaced by U+FFFD. Clean text, the usual case, is scanned
 * once and returned unchanged.
 */
export const cleanText = (text: string): string =>
  UNSTORABLE.test(text) ? text.replace(EVERY_UNSTORABLE, '\uFFFD') : text;
