import { textFunction } from './text-function';
import { isWhiteSpace } from './white-space';

const afterLeading = (text: string): number => {
  let start = 0;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start++;
  return start;
};

const beforeTrailing = (text: string): number => {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return end;
};

const trimStart = (text: string): string => text.slice(afterLeading(text));
const trimEnd = (text: string): string => text.slice(0, beforeTrailing(text));

export const TRIM = textFunction((text) => trimEnd(trimStart(text)));
export const LTRIM = textFunction(trimStart);
export const RTRIM = textFunction(trimEnd);
