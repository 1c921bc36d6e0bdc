import { Client } from 'pg';

const TABLES = `
  SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
   WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`;

/** All rows of every table as text, with bytes in hex. */
export const tableTexts = async (url: string): Promise<ReadonlyMap<string, string>> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const texts = new Map<string, string>();
    for (const { name } of (await client.query<{ name: string }>(TABLES)).rows) {
      const { rows } = await client.query<{ text: string }>(
        `SELECT each::text AS text FROM ${name} AS each`,
      );
      texts.set(name, rows.map(({ text }) => text).join('\n'));
    }
    return texts;
  } finally {
    await client.end();
  }
};
