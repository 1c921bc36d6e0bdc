import { FIRST_PROFILE_SCHEMA, type ProfileSchema, type WorkspaceId } from '@penstock/contracts';
import { type Client, escapeIdentifier } from 'pg';
import { type Initialised, type InitialiseOptions, WarehouseFault } from '../../platform/warehouse';
import { profileColumns } from '../columns/profile-columns';
import { qualified } from '../sql/names';
import { nextNumber } from './create-table';
import { dropObjects, provideMeta, provideObjects } from './provide-objects';

/**
 * Of the objects that a warehouse holds: a newer service brings older ones up. 1 had the marker only, 2 no times in `_seen`, 3
 * neither `_moving` nor `_profile_history`; writers of 3 know nothing of resolutions, those of 4 nothing of who was erased.
 */
export const LAYOUT = 5;

const META = '_meta';

/** SQLSTATE undefined_column: a table of somebody else that happens to have the name. */
const UNDEFINED_COLUMN = '42703';

const metaOf = (schema: string): string => qualified(schema, META);

/** SQL of what the marker says. */
export const selectMarker = (schema: string): string => `SELECT * FROM ${metaOf(schema)}`;

/** What the marker says, whichever layout wrote it. */
export interface Marker {
  readonly workspace: WorkspaceId;
  readonly layout: number;
  /** Absent in layout 1. */
  readonly schema_version?: number;
}

const isThere = async (client: Client, schema: string): Promise<boolean> => {
  const { rowCount } = await client.query(
    `SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = $2`,
    [schema, META],
  );
  return rowCount !== 0;
};

const marker = async (client: Client, schema: string): Promise<Marker | undefined> => {
  const { rows } = await client.query<Marker>(selectMarker(schema));
  return rows[0];
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

/** @returns undefined without a marker of the workspace. */
export const readProfilesVersion = async (
  client: Client,
  schema: string,
  workspace: WorkspaceId,
): Promise<number | undefined> => {
  if ((await readMarker(client, schema)) !== workspace) return undefined;
  return (await marker(client, schema))?.schema_version ?? FIRST_PROFILE_SCHEMA.version;
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

const writeMarker = async (
  client: Client,
  schema: string,
  id: WorkspaceId,
  version: number,
): Promise<readonly string[]> => {
  await client.query(
    `INSERT INTO ${metaOf(schema)} (workspace, layout, schema_version) VALUES ($1, $2, $3)`,
    [id, LAYOUT, version],
  );
  return ['marker'];
};

const changeMarker = async (client: Client, schema: string, id: WorkspaceId): Promise<void> => {
  await client.query(`UPDATE ${metaOf(schema)} SET workspace = $1`, [id]);
};

/** What is there becomes the workspace's: nothing of who wrote for the former one is of importance any more. */
const takeOver = async (client: Client, schema: string, workspace: WorkspaceId): Promise<void> => {
  await changeMarker(client, schema, workspace);
  await provideMeta(client, schema);
  await client.query(`UPDATE ${metaOf(schema)} SET schema_version = $1`, [
    FIRST_PROFILE_SCHEMA.version,
  ]);
  await repair(client, schema, workspace, FIRST_PROFILE_SCHEMA);
  await client.query(`DELETE FROM ${qualified(schema, '_fences')}`);
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
    await takeOver(client, schema, workspace);
    return { formerOwner: owner };
  }
  const count = await countObjects(client, schema);
  if (count > 0)
    throw new WarehouseFault('unusable', `schema is not empty: it holds ${String(count)} objects`);
  await provideMeta(client, schema);
  await writeMarker(client, schema, workspace, FIRST_PROFILE_SCHEMA.version);
  await provideObjects(client, schema, profileColumns(FIRST_PROFILE_SCHEMA.schema));
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
  if (formerOwner === undefined) await dropObjects(client, schema);
  else await changeMarker(client, schema, formerOwner);
};

/** What a marker says. @throws WarehouseFault unless it is the workspace's, and of a layout that this service knows. */
export const ownMarker = (found: Marker | undefined, workspace: WorkspaceId): Marker => {
  if (found === undefined)
    throw new WarehouseFault('unusable', 'data warehouse has no marker: repair it');
  if (found.workspace !== workspace)
    throw new WarehouseFault('foreign', 'warehouse of another workspace');
  const { layout } = found;
  if (layout > LAYOUT)
    throw new WarehouseFault(
      'newer',
      `data warehouse has layout ${layout}, of a newer version of Penstock: this one knows ${LAYOUT}`,
    );
  return found;
};

/** Whether the layout is an older one. @throws WarehouseFault when it cannot be written to by the workspace */
export const isBehind = async (
  client: Client,
  schema: string,
  workspace: WorkspaceId,
  profiles: ProfileSchema,
): Promise<boolean> => {
  const { layout, schema_version } = ownMarker(await marker(client, schema), workspace);
  if (schema_version !== undefined && schema_version !== profiles.version)
    throw new WarehouseFault('outdated', 'the schema of profiles is another one by now');
  return layout < LAYOUT;
};

/**
 * Whether layout or schema are older ones, as in a warehouse that was restored from a copy. No version is used twice: a
 * greater one is that of a change which the caller does not know yet.
 *
 * @throws WarehouseFault when the workspace cannot repair it by this schema
 */
const isOlder = async (
  client: Client,
  schema: string,
  workspace: WorkspaceId,
  profiles: ProfileSchema,
): Promise<boolean> => {
  const found = await readProfilesVersion(client, schema, workspace);
  const isRestored = found !== undefined && found < profiles.version;
  const known = isRestored ? { ...profiles, version: found } : profiles;
  return (await isBehind(client, schema, workspace, known)) || isRestored;
};

/** Every writer looks at the marker first: when the layout is recorded, those that do not know it write no more. */
const keepWritersOut = async (client: Client, schema: string): Promise<void> => {
  await client.query(`SELECT FROM ${metaOf(schema)} FOR UPDATE`);
};

/** Records that the layout is the newest. */
const recordLayout = async (
  client: Client,
  schema: string,
  { version }: ProfileSchema,
): Promise<void> => {
  await client.query(`UPDATE ${metaOf(schema)} SET layout = $1, schema_version = $2`, [
    LAYOUT,
    version,
  ]);
};

/**
 * Makes what is missing, and brings an older layout up.
 *
 * @returns the names of what was made.
 */
export const repair = async (
  client: Client,
  schema: string,
  workspace: WorkspaceId,
  profiles: ProfileSchema,
): Promise<readonly string[]> => {
  const owner = await readMarker(client, schema);
  if (owner !== undefined && owner !== workspace)
    throw new WarehouseFault('foreign', 'warehouse of another workspace');
  const columns = profileColumns(profiles.schema);
  if (owner === undefined)
    return [
      ...(await createSchema(client, schema)),
      ...(await provideMeta(client, schema)),
      ...(await writeMarker(client, schema, workspace, profiles.version)),
      ...(await provideObjects(client, schema, columns, nextNumber())),
    ];
  const behind = await isOlder(client, schema, workspace, profiles);
  if (behind) await keepWritersOut(client, schema);
  const made = [
    ...(await provideMeta(client, schema)),
    ...(await provideObjects(client, schema, columns, nextNumber())),
  ];
  if (behind) await recordLayout(client, schema, profiles);
  return made;
};
