import { type Client, DatabaseError } from 'pg';
import { WarehouseFault } from '../../platform/warehouse';
import { list, qualified } from '../sql/names';
import type { FoundRelation } from './catalogue';
import type { TableDefinition } from './table-definition';

/** A view is compared with one of this name, which is made from its definition and taken back. */
const PATTERN = '_view_pattern';

const selectSql = (schema: string, { name, columns }: TableDefinition): string =>
  `SELECT ${list(columns.map((column) => column.name))} FROM ${qualified(schema, name)}`;

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

/** What was granted on a view and its columns, as statements that grant it again. */
const grantsOn = async (client: Client, view: string): Promise<readonly string[]> => {
  const { rows } = await client.query<{ statement: string }>(
    `WITH rights AS (
       SELECT a.*, '' AS columns FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = $1::regclass
       UNION ALL
       SELECT a.*, format('(%I)', t.attname) FROM pg_attribute t, aclexplode(t.attacl) a
       WHERE t.attrelid = $1::regclass AND NOT t.attisdropped)
     SELECT format('GRANT %s %s ON %s TO %s%s', privilege_type, columns, $1::regclass,
                   CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
                   CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) AS statement
     FROM rights WHERE grantee <> (SELECT relowner FROM pg_class WHERE oid = $1::regclass)`,
    [view],
  );
  return rows.map(({ statement }) => statement);
};

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
  const select = selectSql(schema, table);
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
