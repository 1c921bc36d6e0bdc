import { snowflakeName, type SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import { type Place, qualified } from '../sql/names';
import type { FoundColumn, FoundRelation } from './catalogue';
import { createTable, nextNumber } from './create-table';
import { statements, type Step } from './step';
import type { ColumnDefinition, TableDefinition } from './table-definition';

const label = ({ name }: TableDefinition, column: ColumnDefinition): string =>
  `${name}.${column.name}`;

const isEmpty = async (session: SnowflakeSession, table: string): Promise<boolean> =>
  (await session.rows(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0;

/** Statements that fill a column and make it required. */
const require = (at: string, { name, fallback }: ColumnDefinition): readonly string[] => {
  const column = snowflakeName(name);
  return [
    ...(fallback === undefined
      ? []
      : [`UPDATE ${at} SET ${column} = ${fallback} WHERE ${column} IS NULL`]),
    `ALTER TABLE ${at} ALTER COLUMN ${column} SET NOT NULL`,
  ];
};

/** Makes a column that is missing; an empty table is made anew where that is the only way. */
const add = async (
  session: SnowflakeSession,
  place: Place,
  table: TableDefinition,
  column: ColumnDefinition,
): Promise<Step> => {
  const at = qualified(place, table.name);
  const { name, type, required, fallback } = column;
  // Source: Snowflake, "ALTER TABLE": such a column has no default, and no constraint.
  const adding = `ALTER TABLE ${at} ADD COLUMN IF NOT EXISTS ${snowflakeName(name)} ${type}`;
  if (required !== true) return statements(label(table, column), adding);
  if (fallback !== undefined)
    return statements(label(table, column), adding, ...require(at, column));
  if (!(await isEmpty(session, at)))
    throw new WarehouseFault(
      'unusable',
      `column ${label(table, column)} is missing and cannot be made up for the rows that are there: empty the table`,
    );
  return statements(
    label(table, column),
    createTable(place, table, nextNumber(), 'CREATE OR REPLACE TABLE'),
  );
};

const check = (
  place: Place,
  table: TableDefinition,
  column: ColumnDefinition,
  present: FoundColumn,
): readonly Step[] => {
  if (present.type !== column.type)
    throw new WarehouseFault(
      'unusable',
      `column ${label(table, column)} is of type ${present.type} and must be ${column.type}: convert it`,
    );
  if (column.required !== true || present.required) return [];
  return [statements(label(table, column), ...require(qualified(place, table.name), column))];
};

/**
 * Plans the columns that a table lacks.
 *
 * @throws WarehouseFault `unusable` naming a column of another type, or one that cannot be made.
 */
export const planColumns = async (
  session: SnowflakeSession,
  place: Place,
  table: TableDefinition,
  found: FoundRelation,
): Promise<readonly Step[]> => {
  const steps: Step[] = [];
  for (const column of table.columns) {
    const present = found.columns.find(({ name }) => name === column.name);
    if (present === undefined) steps.push(await add(session, place, table, column));
    else steps.push(...check(place, table, column, present));
  }
  return steps;
};
