import { Client } from 'pg';
import { Api } from './api';

export const USER_COLUMNS = `id int PRIMARY KEY, email text, first_name text, last_name text, age smallint, balance numeric(12,2),
  subscribed boolean, updated_at timestamptz`;

/** Eight columns of the kinds that users have. */
const USERS = `SELECT n, 'User' || n || '@Example.COM', 'First ' || n % 997, 'Last, of ' || n, n % 97, n + 0.5, n % 2 = 0,
  now() - interval '1 day' FROM generate_series(1, $1::int) AS s (n)`;

/** Properties of the rows. */
export const IN = [
  ['id', { kind: 'int', bitSize: 32 }],
  ['email', { kind: 'string' }],
  ['first_name', { kind: 'string' }],
  ['last_name', { kind: 'string' }],
  ['age', { kind: 'int', bitSize: 16 }],
  ['balance', { kind: 'decimal', precision: 12, scale: 2 }],
  ['subscribed', { kind: 'boolean' }],
  ['updated_at', { kind: 'datetime' }],
] as const;

/** The profile schema that the first workspace begins with has these. */
export const OUT = ['email', 'first_name', 'last_name'];

export const MAPPING = {
  mapping: { email: 'lower(email)', first_name: 'first_name', last_name: 'last_name' },
};

/** The rows of a table that have changed since the last import. */
export const changedRowsOf = (table: string): { readonly query: string } => ({
  query: `SELECT * FROM ${table} WHERE \${updated_at} IS NULL OR updated_at >= \${updated_at}`,
});

/** Makes the table `crm.users` of so many rows. */
export const makeUsers = async (databaseUrl: string, rows: number): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`CREATE SCHEMA crm; CREATE TABLE crm.users (${USER_COLUMNS})`);
    await client.query(`INSERT INTO crm.users ${USERS}`, [rows]);
    await client.query('ANALYZE crm.users');
  } finally {
    await client.end();
  }
};

/** The workspace that the installation begins with. */
export const firstWorkspace = async (address: string, key: string): Promise<string | undefined> => {
  const { workspaces } = await new Api(address, key).get<{ workspaces: { id: string }[] }>(
    '/v1/workspaces',
  );
  return workspaces[0]?.id;
};

/** Creates a source of the schema `crm` of a database. @returns its id. */
export const createDatabaseSource = async (api: Api, databaseUrl: string): Promise<string> => {
  const { hostname: host, port, username, password, pathname } = new URL(databaseUrl);
  const { id } = await api.post<{ id: string }>('/v1/connections', {
    ...{ name: 'CRM', role: 'Source', connector: 'postgresql' },
    settings: {
      ...{ host, port: Number(port), username, password: decodeURIComponent(password) },
      ...{ database: pathname.slice(1), schema: 'crm', sslMode: 'disable' },
    },
  });
  return id;
};

/** An import of users. */
interface UserImport {
  readonly name: string;
  /** Id of the connection. */
  readonly connection: string;
  /** What is read: a query, or a file and its format. */
  readonly from: object;
  readonly transformation: object;
  /** Properties that the transformation reads, beside the id and the time. */
  readonly reads: readonly string[];
}

/** Creates a pipeline that imports users. @returns its id. */
export const createImport = async (
  api: Api,
  { name, connection, from, transformation, reads }: UserImport,
): Promise<string> => {
  const read = new Set(['id', 'updated_at', ...reads]);
  const properties = IN.filter(([each]) => read.has(each));
  const property = (each: string, type: object, flags: object) => ({ name: each, type, ...flags });
  const { id } = await api.post<{ id: string }>('/v1/pipelines', {
    ...{ name, connection, target: 'User', enabled: true, transformation },
    ...from,
    ...{ userIDColumn: 'id', updatedAtColumn: 'updated_at' },
    inSchema: {
      kind: 'object',
      properties: properties.map(([each, type]) => property(each, type, { nullable: true })),
    },
    outSchema: {
      kind: 'object',
      properties: OUT.map((each) => property(each, { kind: 'string' }, { readOptional: true })),
    },
  });
  return id;
};
