import { codePointLength } from '@penstock/schema';

/** The expression cannot be compiled: the reason, and its place. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';
  constructor(
    message: string,
    /** Index in the expression's text, in UTF-16 units. */
    readonly at: number,
  ) {
    super(message);
  }
}

/** Describes an index of a text for people: `line 2, column 5`, both from 1, columns in code points. */
export const position = (text: string, at: number): string => {
  const before = text.slice(0, at).split(/\r\n|\r|\n/);
  const column = codePointLength(before.at(-1) ?? '') + 1;
  return `line ${before.length}, column ${column}`;
};
