import { randomBytes } from 'node:crypto';
import { type Client, escapeIdentifier } from 'pg';

const PREFIX = '_stage_';

/** Seconds after which nobody uses a staging table any more: statements of writers end after 5 minutes. */
const LEFT_OVER_SECONDS = 3_600;

/** A name that tells when the table was made: the catalogue does not. @param seconds since 1970, by the server. */
export const stageName = (seconds: number): string =>
  `${PREFIX}${String(Math.floor(seconds))}_${randomBytes(8).toString('hex')}`;

/** Drops staging tables that were left over an hour ago or earlier. @returns their names. */
export const dropLeftOvers = async (client: Client, schema: string): Promise<readonly string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relname ~ '^${PREFIX}[0-9]{1,12}_[0-9a-f]{16}$'
       AND split_part(c.relname, '_', 3)::bigint <= extract(epoch FROM now()) - ${LEFT_OVER_SECONDS}
     ORDER BY 1`,
    [schema],
  );
  for (const { name } of rows)
    await client.query(
      `DROP TABLE IF EXISTS ${escapeIdentifier(schema)}.${escapeIdentifier(name)}`,
    );
  return rows.map(({ name }) => name);
};
