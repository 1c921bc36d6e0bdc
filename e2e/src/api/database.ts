import { Client } from 'pg';
import type { World } from './world';

/** Does something with the server of the warehouses, as a superuser. */
export const withDatabase = async <T>(
  { databaseUrl }: World,
  run: (client: Client) => Promise<T>,
): Promise<T> => {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
};
