import { NewOutcomes, outcomesKey, readOutcomes } from '@penstock/contracts';
import { LogUnavailable, type NewMessage } from '@penstock/messaging';
import { acquired, changesOf, outcomeRecord } from '../store/contract/changes.fixture';
import { MemoryDatabase } from '../store/memory/memory-database';
import { MemoryRouterStore } from '../store/memory/memory-router-store';
import type { LeaseGrant, RouterStore } from '../store/router-store';
import { FakeClock } from '../testing/fake-clock';
import { OutcomeRelay } from './outcome-relay';

/** A log that keeps all appended messages. */
class Log {
  readonly messages: NewMessage[] = [];
  appends = 0;
  /** Called before each append. */
  before: () => Promise<void> = () => Promise.resolve();

  async append(topic: string, messages: readonly NewMessage[]): Promise<[]> {
    expect(topic).toBe('outcomes');
    this.appends += 1;
    await this.before();
    this.messages.push(...messages);
    return [];
  }

  get places(): string[] {
    return this.messages.map(({ value }) => {
      const { partition, epoch, sequence } = readOutcomes(value ?? '');
      return `${partition}: ${epoch}/${sequence}`;
    });
  }

  /** Offsets of the ended deliveries, each once. */
  get folded(): number[] {
    const reader = new NewOutcomes();
    return this.messages
      .map(({ value }) => readOutcomes(value ?? ''))
      .filter((record) => reader.isNew(record))
      .flatMap(({ outcomes }) => outcomes.flatMap(({ offsets }) => offsets));
  }
}

let clock: FakeClock;
let store: RouterStore;
let log: Log;
let owned: LeaseGrant[];
let errors: unknown[];
let looks: number;
const relays: OutcomeRelay[] = [];

beforeEach(async () => {
  clock = new FakeClock();
  store = new MemoryRouterStore(new MemoryDatabase(() => clock.wallMs()));
  log = new Log();
  owned = [await acquired(store)];
  errors = [];
  looks = 0;
  const unrelayed = store.unrelayed.bind(store);
  store.unrelayed = (...asked) => {
    looks += 1;
    return unrelayed(...asked);
  };
});

afterEach(async () => {
  await Promise.all([...relays.splice(0).map((relay) => relay.stop()), clock.advance(10_000)]);
  expect(clock.pending).toBe(0);
});

const start = (): OutcomeRelay => {
  const onError = (error: unknown) => errors.push(error);
  const relay = new OutcomeRelay({ clock, store, log, owned: () => owned, onError });
  relays.push(relay);
  relay.start();
  return relay;
};

const commit = async (sequence: number, count = 1): Promise<void> => {
  const outcomes = Array.from({ length: count }, (_, nth) =>
    outcomeRecord({ offset: 100_000 * sequence + nth, atMs: 1_700_000_000_000 + nth }),
  );
  expect(await store.commit([changesOf(owned[0]!, sequence, { outcomes })])).toEqual([]);
};

it('appends outcomes to the log within a second, once, under the key of the partition', async () => {
  start();
  await commit(1);
  await commit(2);
  await clock.advance(1_000);
  await commit(3);
  await clock.advance(5_000);
  expect(log.places).toEqual(['0: 1/1', '0: 1/2', '0: 1/3']);
  expect(log.messages.map(({ key }) => key)).toEqual([0, 0, 0].map(outcomesKey));
  expect(readOutcomes(log.messages[0]?.value ?? '').outcomes).toEqual([
    {
      ...{ pipeline: 'pipeline00000a', version: 1, state: 'Delivered', code: '', attempts: 1 },
      ...{ at: '2023-11-14T22:13:20.000Z', status: null, offsets: [100_000] },
    },
  ]);
});

it('queries the store once per second while there is nothing to relay, and never without a partition', async () => {
  start();
  await clock.advance(10_500);
  expect([looks, log.appends]).toEqual([10, 0]);
  owned = [];
  await clock.advance(10_000);
  expect(looks).toBe(10);
});

it('relays a backlog in small turns, without waiting a second between them', async () => {
  for (let sequence = 1; sequence <= 200; sequence += 1) await commit(sequence);
  start();
  await clock.advance(1_000);
  expect(log.messages).toHaveLength(64);
  await clock.advance(300);
  expect(log.messages).toHaveLength(200);
  expect([looks, log.appends]).toEqual([4, 4]);
});

it('splits a large commit, and appends it in parts', async () => {
  await commit(1, 20_000);
  start();
  await clock.advance(1_000);
  expect(log.appends).toBeGreaterThan(2);
  expect(log.folded).toEqual(Array.from({ length: 20_000 }, (_, nth) => 100_000 + nth));
});

it('waits longer after each failure of the log, reports them, and continues when the log is available', async () => {
  const relay = start();
  await commit(1);
  log.before = () => Promise.reject(new LogUnavailable('away'));
  await clock.advance(60_000);
  expect(log.appends).toBeLessThan(8);
  expect(relay.failingMs).toBe(59_000);
  expect(errors).toHaveLength(log.appends);
  log.before = () => Promise.resolve();
  await clock.advance(31_000);
  expect(log.places).toEqual(['0: 1/1']);
  expect(relay.failingMs).toBe(0);
  await commit(2);
  await clock.advance(1_000);
  expect(log.places).toEqual(['0: 1/1', '0: 1/2']);
});

it('appends again what was not marked before a crash, and readers can recognise it', async () => {
  const mark = store.markRelayed.bind(store);
  store.markRelayed = () => Promise.reject(new Error('the process dies'));
  await commit(1);
  await commit(2);
  const dying = start();
  await clock.advance(1_000);
  await dying.stop();
  store.markRelayed = mark;
  await commit(3);
  start();
  await clock.advance(1_000);
  expect(log.places).toEqual(['0: 1/1', '0: 1/2', '0: 1/1', '0: 1/2', '0: 1/3']);
  expect(log.folded).toEqual([100_000, 200_000, 300_000]);
});

it('does not mark a partition that it has lost meanwhile', async () => {
  await commit(1);
  let answer: () => void = () => undefined;
  log.before = () => new Promise((resolve) => (answer = resolve));
  start();
  await clock.advance(1_000);
  await store.release(owned);
  owned = [await acquired(store)];
  await commit(2);
  log.before = () => Promise.resolve();
  answer();
  await clock.advance(1_000);
  expect(log.places).toEqual(['0: 1/1', '0: 1/1', '0: 2/2']);
  expect(log.folded).toEqual([100_000, 200_000]);
  expect(errors).toEqual([]);
});

it('stops after the turn under way, and does not wait for one that hangs', async () => {
  await commit(1);
  log.before = () => new Promise(() => undefined);
  const relay = start();
  await clock.advance(1_000);
  const stopped = relay.stop().then(() => clock.nowMs());
  await clock.advance(10_000);
  expect(await stopped).toBe(6_000);
  expect(clock.pending).toBe(0);
  await commit(2);
  await clock.advance(10_000);
  expect([looks, log.appends]).toEqual([1, 1]);
});
