import { textFunction } from './text-function';

/** What ends a word: ASCII other than letters, digits and `_`, and Unicode white space. */
const WORD = /[^\0-/:-@[-^`{-\x7f\p{White_Space}]+/gu;

const FIRST = /^./su;

const capitalised = (word: string): string => word.replace(FIRST, (first) => first.toUpperCase());

export const LOWER = textFunction((text) => text.toLowerCase());
export const UPPER = textFunction((text) => text.toUpperCase());
export const INITCAP = textFunction((text) => text.replace(WORD, capitalised));
