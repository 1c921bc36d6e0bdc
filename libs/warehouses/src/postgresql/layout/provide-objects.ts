import type { Client } from 'pg';
import type { ProfileColumn } from '../columns/profile-columns';
import { WarehouseFault } from '../../platform/warehouse';
import { qualified } from '../sql/names';
import { type FoundRelation, readCatalogue } from './catalogue';
import { createTable } from './create-table';
import { provideColumns } from './provide-columns';
import { provideKeys } from './provide-keys';
import { provideView } from './provide-view';
import { reduceBy } from './reduce-duplicates';
import { dropLeftOvers } from './stages';
import type { TableDefinition } from './table-definition';
import { META_TABLE, tablesOf } from './tables';

const FIRST = 1;

const isTable = ({ kind }: FoundRelation): boolean => kind === 'r' || kind === 'p';

/** How tables are made. */
interface Provided {
  /** The columns of the profile schema. */
  readonly properties: readonly string[];
  /** Of the rows of a table that numbers them. */
  readonly firstNumber: number;
}

/** Makes a table, or what it lacks. @returns the names of what was made */
const provideTable = async (
  client: Client,
  schema: string,
  table: TableDefinition,
  found: FoundRelation | undefined,
  { properties, firstNumber }: Provided,
): Promise<readonly string[]> => {
  if (found === undefined) {
    await client.query(createTable(schema, table, firstNumber).join('; '));
    return [table.name];
  }
  if (!isTable(found))
    throw new WarehouseFault('unusable', `${table.name} is not a table: give it another name`);
  return [
    ...(await provideColumns(client, schema, table, found)),
    ...(await provideKeys(client, schema, table, found, reduceBy(properties))),
  ];
};

/** Makes the table of the marker, or what it lacks. @returns the names of what was made */
export const provideMeta = async (client: Client, schema: string): Promise<readonly string[]> => {
  const found = (await readCatalogue(client, schema)).get(META_TABLE.name);
  return provideTable(client, schema, META_TABLE, found, { properties: [], firstNumber: FIRST });
};

/**
 * Makes every table, column, index, key and view that a warehouse lacks, and drops staging tables that were left over.
 * What is as it must be stays untouched. Within one transaction.
 *
 * @param firstNumber of the rows of each table that is made and numbers them; absent: there was none before.
 * @returns the names of what was made or dropped.
 * @throws WarehouseFault `unusable` naming what cannot be made.
 */
export const provideObjects = async (
  client: Client,
  schema: string,
  profile: readonly ProfileColumn[],
  firstNumber = FIRST,
): Promise<readonly string[]> => {
  const found = await readCatalogue(client, schema);
  const provided = { properties: profile.map(({ name }) => name), firstNumber };
  const made: string[] = [];
  const tables = tablesOf(profile);
  for (const table of tables)
    made.push(...(await provideTable(client, schema, table, found.get(table.name), provided)));
  for (const table of tables)
    made.push(...(await provideView(client, schema, table, found.get(table.view ?? ''))));
  return [...made, ...(await dropLeftOvers(client, schema))];
};

/** Drops every object of a warehouse. */
export const dropObjects = async (client: Client, schema: string): Promise<void> => {
  const found = await readCatalogue(client, schema);
  const tables = [...tablesOf([]), META_TABLE];
  const drop = async (kind: 'VIEW' | 'TABLE', names: readonly (string | undefined)[]) => {
    for (const name of names)
      if (name !== undefined && found.has(name))
        await client.query(`DROP ${kind} ${qualified(schema, name)}`);
  };
  await drop(
    'VIEW',
    tables.map(({ view }) => view),
  );
  await drop(
    'TABLE',
    tables.map(({ name }) => name),
  );
};
