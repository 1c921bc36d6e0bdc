import { type Client, DatabaseError } from 'pg';
import { WarehouseFault } from '../../platform/warehouse';
import { qualified } from '../sql/names';
import type { FoundRelation } from './catalogue';
import type { TableDefinition } from './table-definition';
import { grantsOn } from './view-grants';
import { viewSelect } from './view-select';

/** A view is compared with one of this name, which is made from its definition and taken back. */
const PATTERN = '_view_pattern';

/** Does work of which nothing stays. */
const undone = async <T>(client: Client, work: () => Promise<T>): Promise<T> => {
  await client.query('SAVEPOINT pattern');
  try {
    return await work();
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT pattern');
  }
};

const definition = async (client: Client, view: string): Promise<string> => {
  const { rows } = await client.query<{ text: string }>(
    'SELECT pg_get_viewdef($1::regclass) AS text',
    [view],
  );
  return rows[0]?.text ?? '';
};

const isAsDefined = (
  client: Client,
  schema: string,
  view: string,
  select: string,
): Promise<boolean> =>
  undone(client, async () => {
    const pattern = qualified(schema, PATTERN);
    await client.query(`CREATE VIEW ${pattern} AS ${select}`);
    return (await definition(client, pattern)) === (await definition(client, view));
  });

/** Replaces a view in place where its columns allow it; else it is made anew with the rights that it had. */
const replace = async (client: Client, view: string, select: string): Promise<void> => {
  await client.query('SAVEPOINT replacing');
  try {
    await client.query(`CREATE OR REPLACE VIEW ${view} AS ${select}`);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT replacing');
    const grants = await grantsOn(client, view);
    await client.query(`DROP VIEW ${view}`);
    await client.query(`CREATE VIEW ${view} AS ${select}`);
    for (const grant of grants) await client.query(grant);
  }
};

/**
 * Makes the view of a table, or makes it as it must be; the rights on it are kept, unless the view has gone.
 *
 * @param found what has the view's name.
 * @returns the name of the view when it was made or replaced.
 * @throws WarehouseFault `unusable` when something else has its name.
 */
export const provideView = async (
  client: Client,
  schema: string,
  table: TableDefinition,
  found: FoundRelation | undefined,
): Promise<readonly string[]> => {
  if (table.view === undefined) return [];
  const view = qualified(schema, table.view);
  const select = viewSelect(schema, table);
  if (found === undefined) {
    await client.query(`CREATE VIEW ${view} AS ${select}`);
    return [table.view];
  }
  if (found.kind !== 'v')
    throw new WarehouseFault('unusable', `${table.view} is not a view: give it another name`);
  if (await isAsDefined(client, schema, view, select)) return [];
  await replace(client, view, select);
  return [table.view];
};
