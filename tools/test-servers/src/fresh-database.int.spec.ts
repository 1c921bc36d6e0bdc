import { Client } from 'pg';
import { freshDatabase, testBrokers } from './fresh-database';

const names = async (url: string): Promise<string[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
    return rows.map(({ datname }) => datname);
  } finally {
    await client.end();
  }
};

it('gives each caller an empty database of its own, and drops it while connections are open', async () => {
  const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
  const client = new Client({ connectionString: one.url });
  const ended = new Promise((resolve) => client.on('error', resolve));
  try {
    expect(one.url).not.toBe(other.url);
    await client.connect();
    await client.query('CREATE TABLE only_here ()');
    await one.drop();
    await ended;
    expect(await names(other.url)).not.toContain(new URL(one.url).pathname.slice(1));
  } finally {
    await other.drop();
    await client.end();
  }
});

it('returns the brokers', () => {
  expect(testBrokers()).toContainEqual(expect.stringMatching(/^[^,\s]+:\d+$/));
});
