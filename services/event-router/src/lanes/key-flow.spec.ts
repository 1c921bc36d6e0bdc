import type { ConnectionId } from '@penstock/contracts';
import { MemoryBudget } from '../progress/memory-budget';
import { OwnedPartition } from '../progress/owned-partition';
import { RequestsInFlight } from '../progress/requests-in-flight';
import { NO_PROGRESS } from '../store/no-progress.fixture';
import { FakeClock } from '../testing/fake-clock';
import { KeyFlow } from './key-flow';
import { KeyQueue } from './key-queue';
import type { LaneContext } from './lane-context';

const LANE = 'lane' as ConnectionId;

const clock = new FakeClock();
const budget = new MemoryBudget(100_000_000);
const OF_LANE = {
  onIdle: () => undefined,
  onReady: () => undefined,
  rowBytes: () => 0,
  isBlocked: () => false,
};

const newPartition = (): OwnedPartition => {
  const grant = { partition: 0, epoch: 1 };
  return new OwnedPartition(grant, NO_PROGRESS, new RequestsInFlight(), clock, () => undefined);
};

/** Confirms a commit of the partition. */
const commit = (partition: OwnedPartition): void => {
  partition.gather(() => undefined);
  partition.pending();
  partition.confirm();
};

/** The query began before the commit that contains the rows was durable, and was answered after it. */
it('loads rows again when their commit was confirmed during the query', async () => {
  const partition = newPartition();
  const key = new KeyQueue(partition, 'key', { lane: LANE, length: 0, bytes: 0, rowBytes: 0 });
  key.storedRows = 1;
  key.rowsFrom = partition.sequenceToCome;
  const loadRows = (): Promise<[]> => {
    commit(partition);
    return Promise.resolve([]);
  };
  const context = { clock, budget, loadRows } as unknown as LaneContext;
  const flow = new KeyFlow(context, OF_LANE);
  flow.load(key);
  await clock.advance(0);
  expect(key).toMatchObject({ state: 'waiting', storedRows: 1 });
});

/** Thousands of keys may be due at once, when a destination that refused them comes back. */
it('loads the rows of two keys at once, the others in turn, and none of a key that was removed', async () => {
  const partition = newPartition();
  const queried: KeyQueue[] = [];
  const answers: ((error?: Error) => void)[] = [];
  const loadRows = (key: KeyQueue): Promise<[]> => {
    queried.push(key);
    return new Promise((resolve, reject) => {
      answers.push((error) => {
        if (error === undefined) resolve([]);
        else reject(error);
      });
    });
  };
  const errors: unknown[] = [];
  const onError = (error: unknown): void => {
    errors.push(error);
  };
  const context = { clock, budget, loadRows, onError } as unknown as LaneContext;
  const flow = new KeyFlow(context, OF_LANE);
  const keys = ['a', 'b', 'c', 'd', 'e'].map(
    (id) => new KeyQueue(partition, id, { lane: LANE, length: 0, bytes: 0, rowBytes: 0 }),
  );
  for (const key of keys) {
    key.storedRows = 1;
    flow.load(key);
  }
  const ids = () => queried.map(({ id }) => id).join('');
  expect(ids()).toBe('ab');
  answers[0]!();
  await clock.advance(0);
  expect(ids()).toBe('abc');
  keys[3]!.isForgotten = true;
  answers[1]!(new Error('the database is away'));
  await clock.advance(0);
  expect(ids()).toBe('abce');
  expect(errors).toMatchObject([
    { name: 'RouterFault', where: { partition: 0 }, cause: new Error('the database is away') },
  ]);
  expect(keys.map(({ state }) => state)).toEqual([
    'idle',
    'waiting',
    'loading',
    'toLoad',
    'loading',
  ]);
});
