import { textFunction } from './text-function';

/** Characters with the Unicode property White_Space beyond Latin-1. */
const RARE = new Set([
  0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
  0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
]);

/** Whether a UTF-16 unit is Unicode white space, no-break spaces included; all of it is in single units. */
const isWhiteSpace = (unit: number): boolean => {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return unit === 0x85 || unit === 0xa0 || (unit >= 0x1680 && RARE.has(unit));
};

const trimStart = (text: string): string => {
  let start = 0;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start++;
  return text.slice(start);
};

/** Scans from the end: a regular expression would retry at every white space inside. */
const trimEnd = (text: string): string => {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
};

export const TRIM = textFunction((text) => trimEnd(trimStart(text)));
export const LTRIM = textFunction(trimStart);
export const RTRIM = textFunction(trimEnd);
