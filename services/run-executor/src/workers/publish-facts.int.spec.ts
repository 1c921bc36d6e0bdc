import { PARTITIONS, type RecordedRunFact, TOPIC, topics } from '@penstock/contracts';
import { type MessageLog, PostgresMessageLog } from '@penstock/messaging';
import { freshDatabase } from '@penstock/test-servers';
import { aRun, StoreDatabase } from '../store/store.fixture';
import { publishFacts } from './publish-facts';

jest.setTimeout(60_000);

const database = StoreDatabase.forEachTest();
let log: MessageLog;
let drop: () => Promise<void>;

beforeEach(async () => {
  const fresh = await freshDatabase();
  drop = () => fresh.drop();
  log = new PostgresMessageLog({ connection: { connectionString: fresh.url } });
  await log.ensureTopics(topics(PARTITIONS.embedded));
});

afterEach(async () => {
  await log.close();
  await drop();
});

const published = async (): Promise<string[]> => {
  const { records } = await log.read(TOPIC.runs, 0, 0, 10_000_000);
  return records.map(({ value }) => {
    const { run, number } = JSON.parse(value ?? '') as RecordedRunFact;
    return `${run} ${number}`;
  });
};

it('publishes every fact once, also after a process was lost between the append and its record', async () => {
  const store = await database.open();
  const runs = [aRun(), aRun(), aRun()];
  await store.accept(runs.slice(0, 2));
  const lost: typeof store.publish = (limit, work) =>
    store.publish(limit, async (...all) => {
      await work(...all);
      throw new Error('the process is lost');
    });
  for (let n = 0; n < 2; n += 1)
    await expect(publishFacts({ publish: lost }, log)).rejects.toThrow('lost');
  await store.accept(runs.slice(2));
  await publishFacts(store, log);
  await publishFacts(store, log);
  expect(await published()).toEqual(runs.map(({ run }) => `${run} 1`));
  await expect(publishFacts({ publish: lost }, log)).resolves.toBeUndefined();
});
