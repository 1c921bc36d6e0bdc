import type { ArrayType, Type } from '@penstock/schema';
import type { Around } from './around';

/**
 * How filters are written in the SQL of a database. A column is the SQL of a name; a condition is true where it holds, else false
 * or null.
 */
export interface FilterDialect {
  /** SQL of the name of a column. */
  readonly name: (name: string) => string;
  /** Where the values of a column stand to an operand. @throws TypeError for a type that is not compared as a whole */
  readonly around: (type: Type, column: string, operand: string) => Around;
  /** Whether a value equals one of the operands, at least one, which are SQL of {@link around}. */
  readonly isOneOf: (type: Type, column: string, operands: readonly string[]) => string;
  /** Whether a text has another one in it, at its beginning or at its end. */
  readonly contains: (column: string, text: string) => string;
  readonly startsWith: (column: string, text: string) => string;
  readonly endsWith: (column: string, text: string) => string;
  /** Whether some element of an array equals the operand. */
  readonly has: (type: ArrayType, column: string, operand: string) => string;
  /** Whether nothing is in a value of a kind that may have something in it. */
  readonly isEmpty: (type: Type, column: string) => string;
  /** True where a condition is false or null. */
  readonly not: (condition: string) => string;
}
