import type { WorkspaceId } from '@penstock/contracts';
import { type Client, escapeIdentifier } from 'pg';
import { type Initialised, type InitialiseOptions, WarehouseFault } from '../platform/warehouse';

/** Of the objects that a warehouse holds: a newer service brings older ones up. */
const LAYOUT = 1;

const META = '_meta';

/** SQLSTATE undefined_column: a table of somebody else that happens to have the name. */
const UNDEFINED_COLUMN = '42703';

const metaOf = (schema: string): string => `${escapeIdentifier(schema)}.${META}`;

const isThere = async (client: Client, schema: string): Promise<boolean> => {
  const { rowCount } = await client.query(
    `SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = $2`,
    [schema, META],
  );
  return rowCount !== 0;
};

/** The workspace in the marker. */
export const readMarker = async (
  client: Client,
  schema: string,
): Promise<WorkspaceId | undefined> => {
  if (!(await isThere(client, schema))) return undefined;
  try {
    const { rows } = await client.query<{ workspace: WorkspaceId }>(
      `SELECT workspace FROM ${metaOf(schema)}`,
    );
    return rows[0]?.workspace;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === UNDEFINED_COLUMN) return undefined;
    throw error;
  }
};

const countObjects = async (client: Client, schema: string): Promise<number> => {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int FROM pg_depend d JOIN pg_namespace n ON n.oid = d.refobjid
     WHERE n.nspname = $1 AND d.refclassid = 'pg_namespace'::regclass AND d.deptype = 'n'`,
    [schema],
  );
  return rows[0]?.count ?? 0;
};

const createSchema = async (client: Client, schema: string): Promise<readonly string[]> => {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount !== 0) return [];
  await client.query(`CREATE SCHEMA ${escapeIdentifier(schema)}`);
  return [schema];
};

const createMeta = async (client: Client, schema: string): Promise<readonly string[]> => {
  if (await isThere(client, schema)) return [];
  await client.query(
    `CREATE TABLE ${metaOf(schema)} (workspace text PRIMARY KEY,
       warehouse uuid NOT NULL DEFAULT gen_random_uuid(), layout integer NOT NULL,
       created_at timestamptz NOT NULL DEFAULT now())`,
  );
  return [META];
};

const writeMarker = async (client: Client, schema: string, id: WorkspaceId): Promise<string[]> => {
  await client.query(`INSERT INTO ${metaOf(schema)} (workspace, layout) VALUES ($1, $2)`, [
    id,
    LAYOUT,
  ]);
  return ['marker'];
};

const changeMarker = async (client: Client, schema: string, id: WorkspaceId): Promise<void> => {
  await client.query(`UPDATE ${metaOf(schema)} SET workspace = $1`, [id]);
};

/**
 * Makes the schema where it is missing and, when there is nothing in it, all that a warehouse holds. One that its owner
 * has freed is passed on.
 *
 * @returns undefined when it is the workspace's already.
 */
export const initialise = async (
  client: Client,
  schema: string,
  {
    workspace,
    isFreed,
  }: { readonly workspace: WorkspaceId } & Required<Pick<InitialiseOptions, 'isFreed'>>,
): Promise<Initialised | undefined> => {
  await createSchema(client, schema);
  const owner = await readMarker(client, schema);
  if (owner === workspace) return undefined;
  if (owner !== undefined && (await isFreed(owner))) {
    await changeMarker(client, schema, workspace);
    return { formerOwner: owner };
  }
  const count = await countObjects(client, schema);
  if (count > 0)
    throw new WarehouseFault('unusable', `schema is not empty: it holds ${String(count)} objects`);
  await createMeta(client, schema);
  await writeMarker(client, schema, workspace);
  return { formerOwner: undefined };
};

/** Undoes {@link initialise}; a schema that it has created stays, empty. */
export const release = async (
  client: Client,
  schema: string,
  workspace: WorkspaceId,
  { formerOwner }: Initialised,
): Promise<void> => {
  if ((await readMarker(client, schema)) !== workspace) return;
  if (formerOwner === undefined) await client.query(`DROP TABLE ${metaOf(schema)}`);
  else await changeMarker(client, schema, formerOwner);
};

/** Makes what is missing. @returns the names of what was made. */
export const repair = async (
  client: Client,
  schema: string,
  workspace: WorkspaceId,
): Promise<readonly string[]> => {
  const owner = await readMarker(client, schema);
  if (owner === workspace) return [];
  if (owner !== undefined) throw new WarehouseFault('foreign', 'warehouse of another workspace');
  return [
    ...(await createSchema(client, schema)),
    ...(await createMeta(client, schema)),
    ...(await writeMarker(client, schema, workspace)),
  ];
};
