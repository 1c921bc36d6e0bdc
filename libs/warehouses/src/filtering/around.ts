import { codePointLength } from '@penstock/schema';

/**
 * SQL of where the values of a column stand to an operand. Each is null, or false, for a value that cannot be compared.
 */
export interface Around {
  readonly less: string;
  readonly equal: string;
  readonly greater: string;
  /** SQL of the operand; absent when no value is equal to it. */
  readonly operand?: string;
}

/** SQL of what is true nowhere. */
export const NEVER = 'FALSE';

/** Around an operand that a value may be equal to. @param column and operand: SQL */
export const exactly = (column: string, operand: string): Around => ({
  less: `${column} < ${operand}`,
  equal: `${column} = ${operand}`,
  greater: `${column} > ${operand}`,
  operand,
});

/** Around an operand that is a little more than the greatest value that the column could have below it. */
export const above = (column: string, value: string): Around => ({
  less: `${column} <= ${value}`,
  equal: NEVER,
  greater: `${column} > ${value}`,
});

const FIRST_HIGH = 0xd800;
const FIRST_LOW = 0xdc00;
const FIRST_ABOVE = 0x10000;
/** Characters whose first half is the same. */
const SAME_HALF = 0x400;

/** Writes a text as a literal. */
type TextLiteral = (text: string) => string;

/**
 * Of half a character, which no text of a database holds: a first half is before all characters that begin with it, a
 * second one behind all characters.
 */
const ofHalf = (column: string, before: string, half: number, literal: TextLiteral): Around => {
  if (half < FIRST_LOW) {
    const first = String.fromCodePoint(FIRST_ABOVE + (half - FIRST_HIGH) * SAME_HALF);
    const { less, greater, equal } = exactly(column, literal(before + first));
    return { less, equal: NEVER, greater: `(${greater} OR ${equal})` };
  }
  const begins = `left(${column}, ${String(codePointLength(before))})`;
  const { less, greater, equal } = exactly(begins, literal(before));
  return { less: `(${less} OR ${equal})`, equal: NEVER, greater };
};

/** Around a text. @param column SQL of a text that is compared by its code points */
export const aroundText = (column: string, text: string, literal: TextLiteral): Around => {
  const half = text.search(/\p{Surrogate}/u);
  return half < 0
    ? exactly(column, literal(text))
    : ofHalf(column, text.slice(0, half), text.charCodeAt(half), literal);
};
