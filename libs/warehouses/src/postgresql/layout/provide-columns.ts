import { type Client, escapeIdentifier } from 'pg';
import { WarehouseFault } from '../../platform/warehouse';
import type { FoundRelation } from './catalogue';
import { qualified } from '../sql/names';
import { columnSql, nextNumber } from './create-table';
import type { ColumnDefinition, TableDefinition } from './table-definition';

const label = ({ name }: TableDefinition, column: ColumnDefinition): string =>
  `${name}.${column.name}`;

const isEmpty = async (client: Client, table: string): Promise<boolean> =>
  (await client.query(`SELECT FROM ${table} LIMIT 1`)).rowCount === 0;

const add = async (
  client: Client,
  schema: string,
  table: TableDefinition,
  column: ColumnDefinition,
): Promise<void> => {
  const name = qualified(schema, table.name);
  const isFilled =
    column.required !== true || column.numbered === true || column.fallback !== undefined;
  if (!isFilled && !(await isEmpty(client, name)))
    throw new WarehouseFault(
      'unusable',
      `column ${label(table, column)} is missing and cannot be made up for the rows that are there: empty the table`,
    );
  await client.query(`ALTER TABLE ${name} ADD COLUMN ${columnSql(column, nextNumber())}`);
};

const makeRequired = async (
  client: Client,
  schema: string,
  table: TableDefinition,
  { name, fallback }: ColumnDefinition,
): Promise<void> => {
  const at = qualified(schema, table.name);
  const column = escapeIdentifier(name);
  if (fallback !== undefined)
    await client.query(`UPDATE ${at} SET ${column} = ${fallback} WHERE ${column} IS NULL`);
  await client.query(`ALTER TABLE ${at} ALTER COLUMN ${column} SET NOT NULL`);
};

const provide = async (
  client: Client,
  schema: string,
  table: TableDefinition,
  column: ColumnDefinition,
  found: FoundRelation,
): Promise<readonly string[]> => {
  const present = found.columns.find(({ name }) => name === column.name);
  if (present === undefined) {
    await add(client, schema, table, column);
    return [label(table, column)];
  }
  if (present.type !== column.type)
    throw new WarehouseFault(
      'unusable',
      `column ${label(table, column)} is of type ${present.type} and must be ${column.type}: convert it`,
    );
  const isChecked =
    column.check === undefined ||
    found.checks.some((names) => names.length === 1 && names[0] === column.name);
  if (!isChecked)
    await client.query(
      `ALTER TABLE ${qualified(schema, table.name)} ADD CHECK (${column.check ?? ''})`,
    );
  const isRequired = column.required !== true || present.required;
  if (!isRequired) await makeRequired(client, schema, table, column);
  return isChecked && isRequired ? [] : [label(table, column)];
};

/**
 * Makes the columns that a table lacks, and the conditions on them.
 *
 * @returns the names of the columns that were made or changed.
 * @throws WarehouseFault `unusable` naming a column of another type, or one that cannot be made.
 */
export const provideColumns = async (
  client: Client,
  schema: string,
  table: TableDefinition,
  found: FoundRelation,
): Promise<readonly string[]> => {
  const made: string[] = [];
  for (const column of table.columns)
    made.push(...(await provide(client, schema, table, column, found)));
  return made;
};
