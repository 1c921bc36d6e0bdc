import type { Condition, Filter } from '@penstock/filters';
import { resolvePath, type Schema } from '@penstock/schema';
import { escapeIdentifier } from 'pg';
import type { ValueColumn } from '../../profiles/value-columns';
import { conditionSql } from './condition-sql';

const isAt = (path: string, column: ValueColumn): boolean => {
  const at = column.path.join('.');
  return at === path || at.startsWith(`${path}.`);
};

const ofCondition = (
  { path, operator, values }: Condition,
  schema: Schema,
  columns: readonly ValueColumn[],
): string => {
  const property = resolvePath(schema, path);
  if (property === undefined) throw new RangeError(`there is no property "${path}"`);
  const own = columns.filter((column) => isAt(path, column));
  const target = { type: property.type, columns: own.map(({ name }) => escapeIdentifier(name)) };
  return conditionSql(target, operator, values);
};

/**
 * SQL of a filter: true for the rows whose records match it, by every rule of the library of filters; else false or null.
 *
 * @param schema against which the filter was parsed.
 * @param columns that the values of the schema are in.
 * @throws TypeError for a condition on a value of kind json.
 */
export const filterSql = (
  { logical, conditions }: Filter,
  schema: Schema,
  columns: readonly ValueColumn[],
): string =>
  conditions
    .map((condition) => `(${ofCondition(condition, schema, columns)})`)
    .join(logical === 'and' ? ' AND ' : ' OR ');
