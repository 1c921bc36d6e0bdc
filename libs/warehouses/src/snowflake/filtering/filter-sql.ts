import { snowflakeName, snowflakeText } from '@penstock/databases';
import type { ArrayType, Type } from '@penstock/schema';
import { NEVER } from '../../filtering/around';
import type { FilterDialect } from '../../filtering/filter-dialect';
import { filterSqlOf } from '../../filtering/filter-sql';
import { variantNumber } from '../columns/variant-number';
import { around } from './around';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const NUMBERS: readonly Type['kind'][] = ['int', 'year', 'decimal', 'float'];

const textsOf = (operand: string): readonly string[] =>
  /\p{Surrogate}/u.test(operand) ? [] : [JSON.stringify(operand)];

const numbersOf = (operand: string): readonly string[] => {
  const text = NUMBER.test(operand) ? variantNumber(operand) : undefined;
  return text === undefined ? [] : [text];
};

/** JSON texts of the elements that equal an operand, as they are staged: in JSON a text and, where it is one, a number. */
const elementsOf = (type: Type, operand: string): readonly string[] => {
  if (type.kind === 'json') return [...textsOf(operand), ...numbersOf(operand)];
  return NUMBERS.includes(type.kind) ? numbersOf(operand) : textsOf(operand);
};

/** Some element equals the operand. */
const has = ({ elementType }: ArrayType, column: string, operand: string): string => {
  const contained = elementsOf(elementType, operand).map(
    (json) => `ARRAY_CONTAINS(PARSE_JSON(${snowflakeText(json)}), ${column})`,
  );
  return contained.length === 0 ? NEVER : `(${contained.join(' OR ')})`;
};

const isEmpty = (type: Type, column: string): string => {
  if (type.kind === 'string') return `${column} = ''`;
  return type.kind === 'array' ? `ARRAY_SIZE(${column}) = 0` : `TO_JSON(${column}) = '{}'`;
};

/** Texts are compared by their code points: columns have no collation. Source: Snowflake, "Collation support". */
const SNOWFLAKE: FilterDialect = {
  name: snowflakeName,
  around,
  isOneOf: (_, column, operands) => `${column} IN (${operands.join(', ')})`,
  contains: (column, text) => `CONTAINS(${column}, ${snowflakeText(text)})`,
  startsWith: (column, text) => `STARTSWITH(${column}, ${snowflakeText(text)})`,
  endsWith: (column, text) => `ENDSWITH(${column}, ${snowflakeText(text)})`,
  has,
  isEmpty,
  not: (condition) => `NOT COALESCE(${condition}, FALSE)`,
};

/** SQL of filters for Snowflake. */
export const filterSql = filterSqlOf(SNOWFLAKE);
