import { freshDatabase, type FreshDatabase } from '@penstock/test-servers';
import { Client } from 'pg';
import { Batch } from './batch';
import { stagesOf } from './stage-tables';

const PAGES = 20;
const SCHEMA = 'public';

let database: FreshDatabase;
let client: Client;

beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  // One row for each page.
  await client.query('CREATE TABLE large (text text)');
  await client.query('ALTER TABLE large ALTER text SET STORAGE PLAIN');
  await client.query(
    `INSERT INTO large SELECT repeat('x', 5000) FROM generate_series(1, ${PAGES})`,
  );
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

it.each([
  [1, 'looksUp'],
  [PAGES * 4, 'looksUp'],
  [PAGES * 4 + 1, 'joins'],
])('%i rows are found in a table of some pages: %s', async (count, way) => {
  await client.query('BEGIN');
  const rules = { identifiers: [], columns: [] };
  const stages = await stagesOf(client, SCHEMA, 0);
  const batch = new Batch(client, SCHEMA, rules, new AbortController().signal, stages);
  await batch.fill(
    'touched',
    'joins',
    `INSERT INTO ${batch.tables.touched} (kind, key) SELECT 'k', n::text FROM generate_series(1, ${count}) n`,
  );
  expect(await batch.wayTo('large', 'touched')).toBe(way);
  await client.query('ROLLBACK');
});
