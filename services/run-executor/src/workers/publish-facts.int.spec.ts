import {
  PARTITIONS,
  readRunFact,
  type RecordedRunFact,
  TOPIC,
  topics,
  type WorkspaceId,
} from '@penstock/contracts';
import { type MessageLog, PostgresMessageLog } from '@penstock/messaging';
import { freshDatabase } from '@penstock/test-servers';
import type { SettledBatch } from '../engine/run-ledger';
import { aBatch, aRun, StoreDatabase } from '../store/store.fixture';
import { publishFacts } from './publish-facts';

jest.setTimeout(600_000);

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
  const { records } = await log.read(TOPIC.runs, 0, 0, 100_000_000);
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

it('passes by what somebody else has put on the topic', async () => {
  const store = await database.open();
  const [first, second] = [aRun(), aRun()];
  await store.accept([first]);
  await publishFacts(store, log);
  const values = ['{', null, 'null', '{"run":7}'];
  await log.append(
    TOPIC.runs,
    values.map((value) => ({ key: 'foreign', value })),
  );
  await store.accept([second]);
  await publishFacts(store, log);
  const { records } = await log.read(TOPIC.runs, 0, 0, 1_000_000);
  expect(records.flatMap(({ value }) => readRunFact(value)?.run ?? [])).toEqual([
    first.run,
    second.run,
  ]);
});

it('publishes many large facts, as many at a time as a process has place for', async () => {
  const store = await database.open();
  const run = aRun();
  await store.accept([run]);
  const claimed = await store.claim('w1');
  const ledger = store.ledger(run.run, claimed?.epoch ?? 0);
  const errors = Array.from({ length: 80 }, (_, n) => ({
    ...{ step: 'Finalize', code: 'Refused', message: `${String(n)}${'a'.repeat(10_000)}` },
    ...{ count: 1, samples: [] },
  })) as SettledBatch['errors'];
  for (let sequence = 1; sequence <= 20; sequence += 1)
    await ledger.settle(aBatch(sequence, { errors }));
  let most = 0;
  const watched: typeof store.publish = (limit, work) =>
    store.publish(limit, (facts, end) => {
      most = Math.max(most, JSON.stringify(facts).length);
      return work(facts, end);
    });
  await publishFacts({ publish: watched }, log);
  expect(await published()).toHaveLength(22);
  expect(most).toBeLessThan(6_000_000);
});

it('leaves no fact of a run that is too large for the log to hold up those of all others', async () => {
  const store = await database.open();
  const [large, other] = [aRun(), aRun({ workspace: 'workspace0000002' as WorkspaceId })];
  await store.accept([large]);
  const claimed = await store.claim('w1');
  const ledger = store.ledger(large.run, claimed?.epoch ?? 0);
  const batch = (bytes: number): SettledBatch =>
    aBatch(1, { position: { kind: 'page', cursor: 'a'.repeat(bytes), offset: 1 } });
  await expect(ledger.settle(batch(1_000_000))).rejects.toThrow(/1000\d{3} bytes, and 900000/);
  await ledger.settle(batch(899_000));
  await store.accept([other]);
  await publishFacts(store, log);
  expect(await published()).toEqual([
    ...[1, 2, 3].map((number) => `${large.run} ${String(number)}`),
    `${other.run} 1`,
  ]);
});
