import {
  NewOutcomes,
  outcomesKey,
  type OutcomesRecord,
  readOutcomes,
  TOPIC,
} from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import { FanOut } from '../testing/fan-out.fixture';
import type { Installation } from '../testing/installation.fixture';
import type { Receiver } from '../testing/receiver.fixture';
import { until } from '../testing/until.fixture';

jest.setTimeout(600_000);

const NAMES = ['healthy', 'refusing', 'picky'] as const;
type Name = (typeof NAMES)[number];

let fanOut: FanOut<Name>;
let installation: Installation;
let receivers: Readonly<Record<Name, Receiver>>;

beforeEach(async () => {
  fanOut = await FanOut.open(NAMES);
  ({ installation, receivers } = fanOut);
  await fanOut.configure();
});

afterEach(() => fanOut.close());

/** All records of the topic, read from the log: by partition, whose readers do not wait for each other. */
const topic = async (): Promise<readonly LogRecord[]> => {
  const records: LogRecord[] = [];
  const onBatch = (_: number, batch: readonly LogRecord[]) => {
    records.push(...batch);
    return Promise.resolve();
  };
  const reader = await installation.log.follow({ topic: TOPIC.outcomes, onBatch });
  await reader.caughtUp();
  await reader.stop();
  return records.sort((one, other) => one.partition - other.partition || one.offset - other.offset);
};

const fresh = (records: readonly LogRecord[]): OutcomesRecord[] => {
  const reader = new NewOutcomes();
  return records
    .map(({ value }) => readOutcomes(value ?? ''))
    .filter((record) => reader.isNew(record));
};

/** Number of ended deliveries of a pipeline by `State Code`. */
const folded = (records: readonly LogRecord[], name: Name): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { outcomes } of fresh(records))
    for (const { pipeline, state, code, offsets } of outcomes) {
      const ending = code === '' ? state : `${state} ${code}`;
      if (pipeline === fanOut.pipeline(name)) sums[ending] = (sums[ending] ?? 0) + offsets.length;
    }
  return sums;
};

const size = (records: readonly LogRecord[]): number =>
  fresh(records)
    .flatMap(({ outcomes }) => outcomes)
    .reduce((sum, { offsets }) => sum + offsets.length, 0);

/** Number of commits whose outcomes are not marked as relayed. */
const unrelayed = async (): Promise<number> => {
  const { rows } = await installation.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count
       FROM penstock_router.outcomes o LEFT JOIN penstock_router.relayed r USING (partition)
      WHERE r.partition IS NULL OR (o.epoch, o.sequence) > (r.epoch, r.sequence)`,
  );
  return rows[0]?.count ?? NaN;
};

it('appends the outcome of each delivery to the log, in agreement with the counters', async () => {
  receivers.refusing.answer = () => 400;
  const tried = new Set<unknown>();
  receivers.picky.answer = ({ messageId }) => {
    if (tried.has(messageId)) return 200;
    tried.add(messageId);
    return 503;
  };
  const first = await installation.start();
  const second = await installation.start();
  await installation.accept(...fanOut.events(100));
  await until(() => receivers.healthy.taken.length === 100);
  await first.close();
  await installation.accept(...fanOut.events(100, 100));
  await until(async () => (await installation.open()) === 0);
  await second.close();
  await installation.start();
  await until(async () => size(await topic()) === 420);

  const records = await topic();
  const { Filtered, ...picky } = await fanOut.countsOf('picky');
  expect(Filtered).toBe(180);
  expect(picky).toEqual({ Delivered: 20 });
  expect(folded(records, 'picky')).toEqual(picky);
  for (const name of ['healthy', 'refusing'] as const)
    expect(folded(records, name)).toEqual(await fanOut.countsOf(name));
  expect(folded(records, 'refusing')).toEqual({ 'Rejected 400': 200 });

  const outcomes = fresh(records).flatMap((record) => record.outcomes);
  const of = (name: Name) => outcomes.find(({ pipeline }) => pipeline === fanOut.pipeline(name));
  expect(of('picky')).toMatchObject({ version: 1, attempts: 2, status: null });
  expect(of('refusing')).toMatchObject({ version: 1, attempts: 1, status: 400 });
  for (const { key, value } of records)
    expect(key).toBe(outcomesKey(readOutcomes(value ?? '').partition));
});

it('continues after a restart where it ended, and appends everything again when the marks are lost', async () => {
  receivers.picky.answer = () => 404;
  const router = await installation.start();
  await installation.accept(...fanOut.events(20));
  await until(async () => size(await topic()) === 42);
  await until(async () => (await unrelayed()) === 0);
  await router.close();
  await installation.start();
  await installation.accept(...fanOut.events(20, 20));
  await until(async () => size(await topic()) === 84);
  const all = await topic();
  expect(fresh(all)).toHaveLength(all.length);
  await installation.pool.query('DELETE FROM penstock_router.relayed');
  await until(async () => (await topic()).length >= 2 * all.length);
  expect(fresh(await topic())).toEqual(fresh(all));
});
