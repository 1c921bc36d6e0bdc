import { snowflakeText } from '@penstock/databases';
import { type DecimalType, type FloatType, parseFloatText, type Type } from '@penstock/schema';
import { above, type Around, aroundText, exactly, NEVER } from '../../filtering/around';
import { columnType } from '../columns/column-type';
import { stagedSql, stagedText } from '../columns/staged-text';

/** SQL of a value of a type. */
const literal = (type: Type, value: string | number): string =>
  stagedSql(columnType(type), snowflakeText(stagedText(type, value)));

/** Not a number is greater than all others for Snowflake. */
const ofFloat = (type: FloatType, column: string, text: string): Around => {
  const around = exactly(column, literal(type, parseFloatText(text, type.bitSize) ?? NaN));
  return { ...around, greater: `(${around.greater} AND ${column} <> ${literal(type, NaN)})` };
};

/** An operand may have more digits than a number of Snowflake: it is told in what the column can hold. */
const ofDecimal = (type: DecimalType, column: string, text: string): Around => {
  const isNegative = text.startsWith('-');
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  if (whole !== '0' && whole.length > type.precision - type.scale) {
    const all = `${column} IS NOT NULL`;
    return { less: NEVER, equal: NEVER, greater: NEVER, [isNegative ? 'greater' : 'less']: all };
  }
  if (fraction.length <= type.scale) return exactly(column, literal(type, text));
  const cut = `${whole}.${fraction.slice(0, type.scale)}`;
  if (!isNegative) return above(column, literal(type, cut));
  const value = literal(type, `-${cut}`);
  return { less: `${column} < ${value}`, equal: NEVER, greater: `${column} >= ${value}` };
};

/**
 * Where the values of a column stand to an operand.
 *
 * @param column SQL of its name.
 * @param operand in the form in which a filter has it.
 * @throws TypeError for a type whose values are not compared as a whole.
 */
export const around = (type: Type, column: string, operand: string): Around => {
  switch (type.kind) {
    case 'string':
      return aroundText(column, operand, snowflakeText);
    case 'int':
    case 'year':
      // It may be greater than all values of the column.
      return exactly(column, `(${operand})`);
    case 'decimal':
      return ofDecimal(type, column, operand);
    case 'float':
      return ofFloat(type, column, operand);
    case 'datetime':
    case 'time':
    case 'date':
    case 'uuid':
    case 'ip':
      return exactly(column, literal(type, operand));
    default:
      throw new TypeError(`values of kind ${type.kind} are not compared`);
  }
};
