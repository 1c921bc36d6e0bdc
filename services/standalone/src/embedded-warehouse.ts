import { SecretBox } from '@penstock/runtime';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';

/** Owns the schema and has no other rights. */
const ROLE = 'penstock_warehouse';
const SCHEMA = 'warehouse';

const hasRole = async (client: Client): Promise<boolean> => {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [ROLE]);
  return rowCount !== 0;
};

const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Derives the role's password from the secret, so that it need not be stored. */
const passwordOf = (secret: string): string => new SecretBox(secret).keyedHash(ROLE);

const warehouseUrl = (databaseUrl: string, password: string): string => {
  const url = new URL(databaseUrl);
  url.username = ROLE;
  url.password = password;
  url.search = `?schema=${SCHEMA}&sslmode=disable`;
  return url.href;
};

/**
 * Opens a schema of the embedded database as the warehouse of the first workspace, with a role of its own. Created
 * once; a password that was changed later is kept.
 *
 * @param databaseUrl of the database, as its superuser.
 * @param isWanted whether it is created when missing.
 * @returns its URL as that role; undefined when there is none.
 */
export const openEmbeddedWarehouse = (
  databaseUrl: string,
  secret: string,
  isWanted: boolean,
): Promise<string | undefined> =>
  withClient(databaseUrl, async (client) => {
    const isThere = await hasRole(client);
    if (!isThere && !isWanted) return undefined;
    const password = passwordOf(secret);
    const role = escapeIdentifier(ROLE);
    if (!isThere)
      await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${escapeLiteral(password)}`);
    await client.query(
      `CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(SCHEMA)} AUTHORIZATION ${role}`,
    );
    return warehouseUrl(databaseUrl, password);
  });
