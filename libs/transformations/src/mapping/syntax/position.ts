import { codePointLength } from '@penstock/schema';

/** Describes an index of a text for people: `line 2, column 5`, both from 1, columns in code points. */
export const position = (text: string, at: number): string => {
  const before = text.slice(0, at).split(/\r\n|\r|\n/);
  const column = codePointLength(before.at(-1) ?? '') + 1;
  return `line ${before.length}, column ${column}`;
};
