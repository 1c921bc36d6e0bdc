import type { Client } from 'pg';
import { list, qualified } from '../sql/names';
import type { FoundRelation } from './catalogue';
import type { Reduce } from './reduce-duplicates';
import type { TableDefinition } from './table-definition';

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, at) => name === other[at]);

const label = (table: string, names: readonly string[]): string => `${table} (${names.join(', ')})`;

const provideKey = async (
  client: Client,
  schema: string,
  {
    table,
    names,
    isPrimary,
  }: {
    readonly table: TableDefinition;
    readonly names: readonly string[];
    readonly isPrimary: boolean;
  },
  reduce: Reduce,
): Promise<string> => {
  await reduce(client, schema, table, names);
  const kind = isPrimary ? 'PRIMARY KEY' : 'UNIQUE';
  await client.query(`ALTER TABLE ${qualified(schema, table.name)} ADD ${kind} (${list(names)})`);
  return label(table.name, names);
};

const dropRetired = async (
  client: Client,
  schema: string,
  { name, retired = [] }: TableDefinition,
  found: FoundRelation | undefined,
): Promise<readonly string[]> => {
  const isRetired = (columns: readonly string[]) => retired.some((each) => same(each, columns));
  const dropped = (found?.indexes ?? []).filter(
    ({ unique, columns }) => !unique && isRetired(columns),
  );
  for (const index of dropped) await client.query(`DROP INDEX ${qualified(schema, index.name)}`);
  return dropped.map(({ columns }) => label(name, columns));
};

/**
 * Makes the keys and indexes that a table lacks, and drops those that are retired. One that is there is known by its columns,
 * whatever its name.
 *
 * @param reduce of rows that have a key in common leaves one.
 * @returns the names of what was made or dropped: the table with the columns.
 */
export const provideKeys = async (
  client: Client,
  schema: string,
  table: TableDefinition,
  found: FoundRelation | undefined,
  reduce: Reduce,
): Promise<readonly string[]> => {
  const made: string[] = [];
  const present = found?.indexes ?? [];
  const { unique, primaryKey: primary } = table;
  if (!present.some((each) => each.primary && same(each.columns, primary)))
    made.push(await provideKey(client, schema, { table, names: primary, isPrimary: true }, reduce));
  if (unique !== undefined && !present.some((each) => each.unique && same(each.columns, unique)))
    made.push(await provideKey(client, schema, { table, names: unique, isPrimary: false }, reduce));
  for (const names of table.indexes) {
    if (present.some((each) => same(each.columns, names))) continue;
    await client.query(`CREATE INDEX ON ${qualified(schema, table.name)} (${list(names)})`);
    made.push(label(table.name, names));
  }
  return [...made, ...(await dropRetired(client, schema, table, found))];
};
