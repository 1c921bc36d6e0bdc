import type { Client } from 'pg';
import { WarehouseFault } from '../platform/warehouse';

/** Source: PostgreSQL 13 is the oldest that is supported. */
const MIN_VERSION = 130_000;

interface SchemaRights {
  readonly version: number;
  readonly there: boolean;
  readonly usage: boolean;
  readonly create: boolean;
}

const schemaRights = async (client: Client, schema: string): Promise<SchemaRights> => {
  const { rows } = await client.query<SchemaRights>(
    `SELECT current_setting('server_version_num')::int AS version, n.oid IS NOT NULL AS there,
            coalesce(has_schema_privilege(n.oid, 'USAGE'), false) AS usage,
            coalesce(has_schema_privilege(n.oid, 'CREATE'), false) AS create
     FROM (SELECT) one LEFT JOIN pg_namespace n ON n.nspname = $1`,
    [schema],
  );
  return rows[0] ?? { version: 0, there: false, usage: false, create: false };
};

const unless = (isSo: boolean, message: string): void => {
  if (!isSo) throw new WarehouseFault('unusable', message);
};

/** @throws WarehouseFault unless the schema can be looked into. */
export const checkReading = async (client: Client, schema: string): Promise<SchemaRights> => {
  const rights = await schemaRights(client, schema);
  unless(rights.version >= MIN_VERSION, 'server is older than PostgreSQL 13');
  unless(rights.there, 'schema does not exist');
  unless(rights.usage, 'permission denied for schema: USAGE is missing');
  return rights;
};

const missingTableRights = async (client: Client, schema: string): Promise<readonly string[]> => {
  const { rows } = await client.query<{ missing: string }>(
    `SELECT format('%s on %s', p.name, c.relname) AS missing
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p (name)
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT has_table_privilege(c.oid, p.name)
     ORDER BY 1 LIMIT 20`,
    [schema],
  );
  return rows.map(({ missing }) => missing);
};

/** @throws WarehouseFault unless the user may create, read and write in the schema. */
export const checkAccess = async (client: Client, schema: string): Promise<void> => {
  const { create } = await checkReading(client, schema);
  unless(create, 'permission denied for schema: CREATE is missing');
  const missing = await missingTableRights(client, schema);
  unless(missing.length === 0, `permission denied: ${missing.join(', ')} is missing`);
};
