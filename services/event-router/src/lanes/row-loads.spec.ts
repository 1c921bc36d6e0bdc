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
const BUDGET_BYTES = 4_000;
/** All that one lane may have: an eighth of the budget. */
const FULL_BYTES = 500;

const clock = new FakeClock();

/** A lane of which the test says how many bytes of rows it has in memory. */
class LaneWithRows {
  readonly partition: OwnedPartition;
  readonly budget = new MemoryBudget(BUDGET_BYTES);
  readonly queried: string[] = [];
  readonly flow: KeyFlow;
  private rowBytes = 0;

  constructor() {
    const grant = { partition: 0, epoch: 1 };
    const requests = new RequestsInFlight();
    this.partition = new OwnedPartition(grant, NO_PROGRESS, requests, clock, () => undefined);
    const loadRows = ({ id }: KeyQueue): Promise<[]> => {
      this.queried.push(id);
      return Promise.resolve([]);
    };
    const { budget } = this;
    this.flow = new KeyFlow({ clock, budget, loadRows } as unknown as LaneContext, {
      onIdle: () => undefined,
      onReady: () => undefined,
      rowBytes: () => this.rowBytes,
      isBlocked: () => false,
    });
  }

  has(rowBytes: number): void {
    this.budget.take('rows', rowBytes - this.rowBytes);
    this.rowBytes = rowBytes;
  }

  load(id: string): KeyQueue {
    const key = new KeyQueue(this.partition, id, { lane: LANE, length: 0, bytes: 0, rowBytes: 0 });
    key.storedRows = 1;
    this.flow.load(key);
    return key;
  }
}

it.each<[string, (flow: KeyFlow) => void]>([
  [
    'when something is due',
    (flow) => {
      flow.takeDue(clock.nowMs());
    },
  ],
  [
    'when it is looked after',
    (flow) => {
      flow.lookAfter();
    },
  ],
])('loads no rows while the lane has too many, and goes on %s', async (_, goOn) => {
  const lane = new LaneWithRows();
  lane.has(FULL_BYTES);
  const key = lane.load('a');
  await clock.advance(0);
  expect([key.state, lane.queried]).toEqual(['toLoad', []]);
  lane.has(FULL_BYTES - 1);
  goOn(lane.flow);
  await clock.advance(0);
  expect([key.state, lane.queried]).toEqual(['idle', ['a']]);
  expect(lane.budget.used).toBe(FULL_BYTES - 1);
});

it('goes on when a key has nothing left', async () => {
  const lane = new LaneWithRows();
  lane.has(FULL_BYTES);
  lane.load('a');
  lane.has(0);
  const ended = new KeyQueue(lane.partition, 'b', {
    ...{ lane: LANE, length: 0, bytes: 0, rowBytes: 0 },
  });
  lane.flow.proceed(ended);
  await clock.advance(0);
  expect(lane.queried).toEqual(['a']);
});

it('counts what is being loaded', async () => {
  const lane = new LaneWithRows();
  lane.has(FULL_BYTES - 1);
  lane.load('a');
  expect(lane.budget.used).toBeGreaterThan(FULL_BYTES - 1);
  lane.load('b');
  expect(lane.queried).toEqual(['a']);
  await clock.advance(0);
  expect(lane.queried).toEqual(['a', 'b']);
  expect(lane.budget.used).toBe(FULL_BYTES - 1);
});

it('loads one row at a time for a lane that has none while there is no room', async () => {
  const lane = new LaneWithRows();
  lane.budget.take('rows', 2 * FULL_BYTES);
  lane.load('a');
  lane.load('b');
  expect(lane.queried).toEqual(['a']);
  await clock.advance(0);
  expect(lane.queried).toEqual(['a', 'b']);
});

it('loads no row of which an attempt is not committed yet', async () => {
  const lane = new LaneWithRows();
  const key = new KeyQueue(lane.partition, 'a', {
    ...{ lane: LANE, length: 0, bytes: 0, rowBytes: 0 },
  });
  key.storedRows = 1;
  key.triedFrom = lane.partition.sequenceToCome;
  lane.flow.load(key);
  expect([key.state, lane.queried]).toEqual(['waiting', []]);
  lane.partition.gather(() => undefined);
  lane.partition.pending();
  lane.partition.confirm();
  lane.flow.load(key);
  await clock.advance(0);
  expect([key.state, lane.queried]).toEqual(['idle', ['a']]);
});
