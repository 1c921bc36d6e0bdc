import type { Condition, Filter } from '@penstock/filters';
import { resolvePath, type Schema } from '@penstock/schema';
import type { ValueColumn } from '../profiles/value-columns';
import { conditionSql } from './condition-sql';
import type { FilterDialect } from './filter-dialect';

const isAt = (path: string, column: ValueColumn): boolean => {
  const at = column.path.join('.');
  return at === path || at.startsWith(`${path}.`);
};

const ofCondition = (
  { path, operator, values }: Condition,
  schema: Schema,
  columns: readonly ValueColumn[],
  dialect: FilterDialect,
): string => {
  const property = resolvePath(schema, path);
  if (property === undefined) throw new RangeError(`there is no property "${path}"`);
  const own = columns.filter((column) => isAt(path, column)).map(({ name }) => dialect.name(name));
  return conditionSql({ type: property.type, columns: own, dialect }, operator, values);
};

/**
 * SQL of a filter: true for the rows whose records match it, by every rule of the library of filters; else false or null.
 *
 * @param schema against which the filter was parsed.
 * @param columns that the values of the schema are in.
 * @throws TypeError for a condition on a value of kind json.
 */
export type MakeFilterSql = (
  filter: Filter,
  schema: Schema,
  columns: readonly ValueColumn[],
) => string;

/** Makes SQL of filters for a database. */
export const filterSqlOf =
  (dialect: FilterDialect): MakeFilterSql =>
  ({ logical, conditions }, schema, columns) =>
    conditions
      .map((condition) => `(${ofCondition(condition, schema, columns, dialect)})`)
      .join(logical === 'and' ? ' AND ' : ' OR ');
