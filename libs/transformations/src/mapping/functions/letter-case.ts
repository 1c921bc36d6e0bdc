import { textFunction } from './text-function';

/** Words are separated by ASCII other than letters, digits and `_`, and by Unicode white space. */
const WORD = /[^\0-/:-@[-^`{-\x7f\p{White_Space}]+/gu;

const FIRST = /^./su;

const capitalised = (word: string): string => word.replace(FIRST, (first) => first.toUpperCase());

export const LOWER = textFunction((text) => text.toLowerCase());
export const UPPER = textFunction((text) => text.toUpperCase());
export const INITCAP = textFunction((text) => text.replace(WORD, capitalised));
