import { Client } from 'pg';

/** Bytes of write-ahead log that the database server has written since its creation. */
export const walBytes = async (databaseUrl: string): Promise<number> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: string }>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes`,
    );
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
};
