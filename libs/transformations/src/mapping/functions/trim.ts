import { textFunction } from './text-function';
import { isWhiteSpace } from './white-space';

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
