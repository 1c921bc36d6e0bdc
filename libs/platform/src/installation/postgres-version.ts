import { CannotStart } from '@penstock/runtime';
import type { Pool } from 'pg';

/** Multiranges, in the tables of the router, exist since this version. */
const LEAST_MAJOR = 14;

/** `server_version_num` counts ten thousand for each major version. */
const PER_MAJOR = 10_000;

/** The database server is of a version that Penstock does not support. */
export class OldPostgres extends CannotStart {
  override readonly name = 'OldPostgres';
}

/** @throws OldPostgres naming the version that was found and the one that is needed. */
export const checkPostgresVersion = async (pool: Pick<Pool, 'query'>): Promise<void> => {
  const { rows } = await pool.query<{ number: number; name: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name`,
  );
  const { number = 0, name = 'unknown' } = rows[0] ?? {};
  if (number < LEAST_MAJOR * PER_MAJOR)
    throw new OldPostgres(
      `the server of DATABASE_URL is PostgreSQL ${name}: version ${String(LEAST_MAJOR)} or later is needed: upgrade it, or set DATABASE_URL to a newer one`,
    );
};
