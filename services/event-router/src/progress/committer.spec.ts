import type { StoredDelivery } from '../store/changes';
import { AUDIENCE, PIPELINE, storedDelivery } from '../store/contract/changes.fixture';
import { MemoryDatabase } from '../store/memory/memory-database';
import { MemoryRouterStore } from '../store/memory/memory-router-store';
import { FakeClock } from '../testing/fake-clock';
import { Committer } from './committer';
import { OwnedPartition } from './owned-partition';
import { RequestsInFlight } from './requests-in-flight';

const OPTIONS = { commitIntervalMs: 100, commitChanges: 1_000 };
const ROWS = 500;

interface Stage {
  readonly clock: FakeClock;
  readonly database: MemoryDatabase;
  readonly partition: OwnedPartition;
  readonly errors: string[];
  /** Of each transaction, whether it has failed. */
  readonly begun: boolean[];
}

/** A partition with rows to commit, and a database that refuses some of them. */
const stageOn = async (refuses: (row: StoredDelivery) => boolean): Promise<Stage> => {
  const clock = new FakeClock();
  const database = new MemoryDatabase(() => clock.wallMs(), refuses);
  const store = new MemoryRouterStore(database);
  await store.beat(1);
  const [grant] = await store.acquire([0]);
  const errors: string[] = [];
  const begun: boolean[] = [];
  const committer = new Committer(store, clock, OPTIONS, {
    onBegun: (commits) => {
      expect(commits).toHaveLength(1);
      return (failure) => begun.push(failure !== undefined);
    },
    onCommitted: () => undefined,
    onDelivered: () => undefined,
    onLost: () => undefined,
    onError: (error) => errors.push(String(error)),
  });
  const requests = new RequestsInFlight();
  const partition = new OwnedPartition(grant!, await store.restore(grant!), requests, clock, () => {
    committer.changed();
  });
  committer.watch(partition);
  for (let offset = 0; offset < ROWS; offset += 1)
    partition.storeRow({ row: storedDelivery({ offset }), release: () => undefined });
  return { clock, database, partition, errors, begun };
};

const bodies = ({ database }: Stage): readonly string[] => database.rows.map(({ body }) => body);

it('commits within the interval, and earlier after many changes', async () => {
  const stage = await stageOn(() => false);
  await stage.clock.advance(OPTIONS.commitIntervalMs - 1);
  expect(bodies(stage)).toEqual([]);
  await stage.clock.advance(1);
  expect(bodies(stage)).toHaveLength(ROWS);
  for (let offset = ROWS; offset < ROWS + OPTIONS.commitChanges; offset += 1)
    stage.partition.storeRow({ row: storedDelivery({ offset }), release: () => undefined });
  await stage.clock.advance(1);
  expect(bodies(stage)).toHaveLength(ROWS + OPTIONS.commitChanges);
});

it('commits everything else however many rows of the commit the database refuses', async () => {
  const stage = await stageOn(({ body, offset }) => body !== '' && offset > 0);
  await stage.clock.advance(200);
  expect(stage.partition.hasChanges).toBe(false);
  expect(bodies(stage).filter((body) => body === '')).toHaveLength(ROWS - 1);
  expect(bodies(stage)).toHaveLength(ROWS);
  expect(stage.errors).toHaveLength(1);
  // Refused, alone refused again, and then without the refused rows.
  expect(stage.begun).toEqual([true, true, false]);
});

it('keeps rows unchanged that the database refuses even when they are emptied', async () => {
  let isWell = false;
  const stage = await stageOn(() => !isWell);
  await stage.clock.advance(1_000);
  expect(bodies(stage)).toEqual([]);
  isWell = true;
  await stage.clock.advance(5_000);
  expect(stage.partition.hasChanges).toBe(false);
  expect(bodies(stage)).toHaveLength(ROWS);
  expect(bodies(stage)).not.toContain('');
});

it('contains audiences in each commit with counts of theirs: the store may have removed them since', async () => {
  const { clock, database, partition } = await stageOn(() => false);
  const audience = { id: AUDIENCE, enabled: [PIPELINE], disabled: [] };
  for (let round = 0; round < 2; round += 1) {
    partition.base(audience, 'New', clock.wallMs());
    await clock.advance(OPTIONS.commitIntervalMs);
    expect([...database.audiences.keys()]).toEqual([AUDIENCE]);
    database.bases.clear();
    database.audiences.clear();
  }
});

it('gives up a partition of which the database has lost commits, and commits the others', async () => {
  const clock = new FakeClock();
  const database = new MemoryDatabase(() => clock.wallMs());
  const store = new MemoryRouterStore(database);
  await store.beat(1);
  const errors: unknown[] = [];
  const lost: number[] = [];
  const committer = new Committer(store, clock, OPTIONS, {
    onCommitted: () => undefined,
    onDelivered: () => undefined,
    onLost: (number) => {
      lost.push(number);
      const partition = partitions[number]!;
      partition.lose();
      committer.unwatch(partition);
    },
    onError: (error) => errors.push(error),
  });
  const partitions: OwnedPartition[] = [];
  for (const grant of await store.acquire([0, 1])) {
    const progress = await store.restore(grant);
    const partition = new OwnedPartition(grant, progress, new RequestsInFlight(), clock, () => {
      committer.changed();
    });
    committer.watch(partition);
    partitions.push(partition);
  }
  const storeRow = (offset: number): void => {
    for (const partition of partitions) {
      const row = storedDelivery({ offset: 10 * offset + partition.number });
      partition.storeRow({ row, release: () => undefined });
    }
  };
  storeRow(0);
  await clock.advance(OPTIONS.commitIntervalMs);
  database.partition(1).sequence -= 1;
  storeRow(1);
  await clock.advance(OPTIONS.commitIntervalMs);
  expect(lost).toEqual([1]);
  expect(errors).toMatchObject([
    { name: 'RouterFault', where: { partition: 1 }, cause: { name: 'CommitsMissing' } },
  ]);
  expect(partitions.map(({ hasChanges, isGone }) => [hasChanges, isGone])).toEqual([
    [false, false],
    [true, true],
  ]);
  expect(committer.failingMs).toBe(0);
  expect(database.rows.map(({ offset }) => offset).sort((a, b) => a - b)).toEqual([0, 1, 10]);
});
