import { codePointLength, cutFraction, type Type } from '@penstock/schema';
import { escapeLiteral } from 'pg';

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

const NEVER = 'false';

/** Digits of the fractions of seconds that PostgreSQL keeps: an operand with more is equal to none of its times. */
const MICROSECONDS = 6;

const exactly = (column: string, operand: string): Around => ({
  less: `${column} < ${operand}`,
  equal: `${column} = ${operand}`,
  greater: `${column} > ${operand}`,
  operand,
});

/** Not a number is greater than all others for PostgreSQL. */
const ofFloat = (column: string, text: string, sqlType: string): Around => {
  const around = exactly(column, `${escapeLiteral(text)}::${sqlType}`);
  return { ...around, greater: `(${around.greater} AND ${column} <> 'NaN')` };
};

const ofTime = (column: string, text: string, sqlType: string): Around => {
  const cut = cutFraction(text, MICROSECONDS);
  const around = exactly(column, `${escapeLiteral(cut)}::${sqlType}`);
  return cut === text
    ? around
    : {
        less: `${column} <= ${escapeLiteral(cut)}::${sqlType}`,
        equal: NEVER,
        greater: around.greater,
      };
};

const FIRST_HIGH = 0xd800;
const FIRST_LOW = 0xdc00;
const FIRST_ABOVE = 0x10000;
/** Characters whose first half is the same. */
const SAME_HALF = 0x400;

/**
 * Of half a character, which no text of a database holds: a first half is before all characters that begin with it, a
 * second one behind all characters.
 */
const ofHalf = (column: string, before: string, half: number): Around => {
  if (half < FIRST_LOW) {
    const first = String.fromCodePoint(FIRST_ABOVE + (half - FIRST_HIGH) * SAME_HALF);
    const { less, greater, equal } = exactly(column, escapeLiteral(before + first));
    return { less, equal: NEVER, greater: `(${greater} OR ${equal})` };
  }
  const begins = `left(${column}, ${String(codePointLength(before))})`;
  const { less, greater, equal } = exactly(begins, escapeLiteral(before));
  return { less: `(${less} OR ${equal})`, equal: NEVER, greater };
};

/** By code points, whatever the collation of the database is. */
const ofText = (column: string, text: string): Around => {
  const half = text.search(/\p{Surrogate}/u);
  return half < 0
    ? exactly(column, escapeLiteral(text))
    : ofHalf(column, text.slice(0, half), text.charCodeAt(half));
};

/**
 * Where the values of a column stand to an operand.
 *
 * @param column SQL of a value of the type, as {@link comparable} makes it.
 * @param operand in the form in which a filter has it.
 * @throws TypeError for a type whose values are not compared as a whole.
 */
export const around = (type: Type, column: string, operand: string): Around => {
  switch (type.kind) {
    case 'string':
      return ofText(column, operand);
    case 'int':
    case 'decimal':
    case 'year':
      return exactly(column, `${escapeLiteral(operand)}::numeric`);
    case 'float':
      return ofFloat(column, operand, type.bitSize === 32 ? 'real' : 'double precision');
    case 'datetime':
      return ofTime(column, operand, 'timestamptz');
    case 'time':
      return ofTime(column, operand, 'time');
    case 'date':
    case 'uuid':
      return exactly(column, `${escapeLiteral(operand)}::${type.kind}`);
    case 'ip':
      return exactly(column, `${escapeLiteral(operand)}::inet`);
    default:
      throw new TypeError(`values of kind ${type.kind} are not compared`);
  }
};

/** The first characters of a text that an index takes: with four bytes each it holds them beside what it needs itself. */
const SOUGHT_CHARACTERS = 600;

/** SQL of what an index has of a text. */
export const soughtText = (text: string): string => `left(${text}, ${String(SOUGHT_CHARACTERS)})`;

/** SQL of a column, as an index has to be on it that finds equal values. */
export const sought = (type: Type, column: string): string => {
  if (['int', 'decimal', 'year'].includes(type.kind)) return `${column}::numeric`;
  return type.kind === 'string' ? soughtText(comparable(type, column)) : column;
};

/** SQL of a column, as its values are compared: texts by code points. */
export const comparable = (type: Type, column: string): string =>
  type.kind === 'string' ? `(${column}::text COLLATE "C")` : column;
