import { cutFraction, type Type } from '@penstock/schema';
import { escapeLiteral } from 'pg';
import { above, type Around, aroundText, exactly } from '../../filtering/around';

/** Digits of the fractions of seconds that PostgreSQL keeps: an operand with more is equal to none of its times. */
const MICROSECONDS = 6;

/** Not a number is greater than all others for PostgreSQL. */
const ofFloat = (column: string, text: string, sqlType: string): Around => {
  const around = exactly(column, `${escapeLiteral(text)}::${sqlType}`);
  return { ...around, greater: `(${around.greater} AND ${column} <> 'NaN')` };
};

const ofTime = (column: string, text: string, sqlType: string): Around => {
  const cut = cutFraction(text, MICROSECONDS);
  const operand = `${escapeLiteral(cut)}::${sqlType}`;
  return cut === text ? exactly(column, operand) : above(column, operand);
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
      // By code points, whatever the collation of the database is.
      return aroundText(column, operand, escapeLiteral);
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
