import type { PoolClient } from 'pg';
import type { Database } from './database';
import { emptyWithoutSchema } from './database';
import { TABLES_LOCK } from './schema';

/** Makes the only row; of concurrent inserts the first one stays. */
const MAKE = `
create schema if not exists penstock_log;
create table if not exists penstock_log.identity (
  id uuid not null default gen_random_uuid(),
  only_one boolean primary key default true check (only_one)
);
insert into penstock_log.identity default values on conflict do nothing;
`;

/** Makes the identity when there is none. To be called under the lock of the tables. */
export const ensureIdentity = async (client: PoolClient): Promise<void> => {
  const { rowCount } = await client.query(
    `select where to_regclass('penstock_log.identity') is not null`,
  );
  if (rowCount === 0) await client.query(MAKE);
};

const find = async (database: Database): Promise<string | undefined> => {
  const text = 'select id from penstock_log.identity';
  const [row] = await database.rows<[string]>({ text }).catch(emptyWithoutSchema);
  return row?.[0];
};

/** Returns the identity of the log; made at first use in a database of an older version. @throws LogUnavailable */
export const identityOf = async (database: Database): Promise<string> => {
  const known = await find(database);
  if (known !== undefined) return known;
  await database.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [TABLES_LOCK]);
    await ensureIdentity(client);
  });
  const made = await find(database);
  if (made === undefined) throw new Error('the table of the identity of the log is empty');
  return made;
};
