import { Pace } from './pace';
import { PostgresMessageLog } from './postgres-message-log';
import { makeTestDatabase, type TestDatabase } from './test-database.fixture';

const MESSAGES = 100;

let database: TestDatabase;
let log: PostgresMessageLog;

beforeAll(async () => {
  database = await makeTestDatabase();
  log = new PostgresMessageLog({ connection: { connectionString: database.url.href } });
  await log.ensureTopics([{ name: 'paced', partitions: 2, retention: 'forever' }]);
});

afterAll(async () => {
  await log.close();
  await database.drop();
});

it('counts an append of many messages, and a fetch of them, as one trigger each', async () => {
  const noted = jest.spyOn(Pace.prototype, 'note');
  const keys = Array.from({ length: MESSAGES }, (_, at) => `key ${String(at)}`);
  await log.append(
    'paced',
    keys.map((key) => ({ key, value: 'x' })),
  );
  let read = 0;
  const reader = await log.readPartitions({
    topic: 'paced',
    onBatch: (_, records) => {
      read += records.length;
      return Promise.resolve();
    },
  });
  for (const partition of [0, 1]) reader.start(partition, 0);
  while (read < MESSAGES) await new Promise((resolve) => setTimeout(resolve, 10));
  await reader.close();
  expect(noted.mock.calls.length).toBeGreaterThanOrEqual(2);
  expect(noted.mock.calls.length).toBeLessThan(MESSAGES / 10);
  expect(new Set(noted.mock.calls.flat())).toEqual(new Set([1]));
});
