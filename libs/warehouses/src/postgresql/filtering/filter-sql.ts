import type { ArrayType, Type } from '@penstock/schema';
import { codePointLength } from '@penstock/schema';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { NEVER } from '../../filtering/around';
import type { FilterDialect } from '../../filtering/filter-dialect';
import { filterSqlOf } from '../../filtering/filter-sql';
import { around, comparable, soughtText } from './around';
import { jsonOperands } from './json-operand';

const TEXT: Type = { kind: 'string' };

const isAny = (column: string, values: readonly string[]): string =>
  `${column} = ANY (ARRAY[${values.join(', ')}])`;

/** One comparison with all operands, for which the server makes a table of them. */
const isOneOf = (type: Type, name: string, operands: readonly string[]): string => {
  const column = comparable(type, name);
  const exactly = isAny(column, operands);
  if (type.kind !== 'string') return exactly;
  // An index has the first characters alone.
  return `(${isAny(soughtText(column), operands.map(soughtText))} AND ${exactly})`;
};

const endsWith = (column: string, text: string): string =>
  `right(${comparable(TEXT, column)}, ${String(codePointLength(text))}) = ${escapeLiteral(text)}`;

/** Some element equals the operand. */
const has = ({ elementType }: ArrayType, column: string, operand: string): string => {
  if (elementType.kind === 'json') {
    const contained = jsonOperands(operand).map((json) => `${column} @> ${json}`);
    return contained.length === 0 ? NEVER : `(${contained.join(' OR ')})`;
  }
  const { equal } = around(elementType, comparable(elementType, 'element'), operand);
  return `EXISTS (SELECT FROM unnest(${column}) AS elements (element) WHERE ${equal})`;
};

/** SQL of the value of a column that has nothing in it. */
const emptyOf = (type: Type): string => {
  if (type.kind === 'string') return `''`;
  const isJson = type.kind === 'array' && type.elementType.kind === 'json';
  // Of an array and of JSON alike.
  return isJson ? `'[]'` : `'{}'`;
};

const POSTGRESQL: FilterDialect = {
  name: escapeIdentifier,
  around: (type, column, operand) => around(type, comparable(type, column), operand),
  isOneOf,
  contains: (column, text) => `strpos(${comparable(TEXT, column)}, ${escapeLiteral(text)}) > 0`,
  startsWith: (column, text) => `starts_with(${comparable(TEXT, column)}, ${escapeLiteral(text)})`,
  endsWith,
  has,
  isEmpty: (type, column) => `${column} = ${emptyOf(type)}`,
  not: (condition) => `(${condition}) IS NOT TRUE`,
};

/** SQL of filters for PostgreSQL. */
export const filterSql = filterSqlOf(POSTGRESQL);
