import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type Beginning, freshDatabase, testBrokers } from './fresh-database';

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

it('makes what many databases begin with once, also when several ask for it at a time', async () => {
  let made = 0;
  const like: Beginning = {
    name: `spec_${randomBytes(4).toString('hex')}`,
    make: async (url) => {
      made += 1;
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query('CREATE TABLE things (whose text); INSERT INTO things VALUES (NULL)');
      await client.end();
    },
    own: 'UPDATE things SET whose = current_database()',
  };
  const all = await Promise.all(Array.from({ length: 3 }, () => freshDatabase(undefined, like)));
  for (const { url, drop } of all) {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ whose: string }>('SELECT whose FROM things');
    expect(rows).toEqual([{ whose: new URL(url).pathname.slice(1) }]);
    await client.end();
    await drop();
  }
  expect(made).toBe(1);
});

it('makes it again after a failure', async () => {
  let tries = 0;
  const like: Beginning = {
    name: `spec_${randomBytes(4).toString('hex')}`,
    make: () => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error('no')) : Promise.resolve();
    },
    own: 'SELECT 1',
  };
  await expect(freshDatabase(undefined, like)).rejects.toThrow('no');
  await (await freshDatabase(undefined, like)).drop();
  expect(tries).toBe(2);
});

it('returns the brokers', () => {
  expect(testBrokers()).toContainEqual(expect.stringMatching(/^[^,\s]+:\d+$/));
});
