import type { ConnectionId } from '@penstock/contracts';
import type { LogSlice } from '@penstock/messaging';
import { LanePart } from '../lanes/lane-part';
import { MemoryBudget } from '../progress/memory-budget';
import { OwnedPartition } from '../progress/owned-partition';
import { RequestsInFlight } from '../progress/requests-in-flight';
import type { Incoming } from '../routing/incoming';
import { PipelineVersions } from '../routing/pipeline-versions';
import { NO_PROGRESS } from '../store/no-progress.fixture';
import { FakeClock } from '../testing/fake-clock';
import { CatchUp, type CatchUpContext } from './catch-up';
import type { Place } from './place';

const LANE = 'lane' as ConnectionId;
const PARTITIONS = [0, 1];
const SECOND_MS = 1_000;

/** Work of later turns of the event loop waits while it is held. */
class HeldClock extends FakeClock {
  isHeld = false;
  private readonly held: (() => void)[] = [];

  override soon(work: () => void): void {
    if (this.isHeld) this.held.push(work);
    else super.soon(work);
  }

  release(): void {
    this.isHeld = false;
    for (const work of this.held.splice(0)) this.soon(work);
  }
}

let clock: HeldClock;
/** Partitions in the order in which slices of them were read. */
let reads: number[];
/** Offsets that the lane was given, by partition. */
let given: Map<number, number[]>;
let errors: unknown[];

beforeEach(() => {
  clock = new HeldClock();
  [reads, errors] = [[], []];
  given = new Map(PARTITIONS.map((partition) => [partition, []]));
});

const slice = (partition: number): LogSlice => ({
  records: [4, 5].map((offset) => ({ partition, offset, timestampMs: 0, key: 'k', value: '' })),
  ...{ next: 6, begin: 0, end: 6 },
});

interface Faults {
  readonly read: (partition: number) => Promise<LogSlice>;
  readonly onGive?: () => void;
  readonly lagMs?: number;
}

/** Lets a lane catch up that is detached in two partitions. */
const start = ({ read, onGive = () => undefined, lagMs = 0 }: Faults): CatchUp => {
  const lane = {
    ...{ health: { isBlocked: false }, bytes: 0, destination: LANE, maxKeyLength: 10 },
    ...{ room: () => 10, mayTake: () => true },
  };
  const catchUp = new CatchUp({
    clock,
    budget: new MemoryBudget(1_000_000),
    routes: {
      prepare: ({ length }: readonly unknown[]) => Promise.resolve(length),
      versions: () => Promise.resolve(new PipelineVersions()),
    },
    placement: {
      expire: () => undefined,
      expireOwed: () => undefined,
      give: (place: Place, { record: { partition, offset } }: Incoming) => {
        onGive();
        given.get(partition)!.push(offset);
        place.skipTo(offset + 1);
      },
    },
    read: (partition: number) => {
      reads.push(partition);
      return read(partition);
    },
    ...{ lane: () => lane, workspaceOf: () => 'w', sliceBytes: 1_000, shed: () => undefined },
    lagMs: () => lagMs,
    onError: (error: unknown) => errors.push(error),
  } as unknown as CatchUpContext);
  for (const partition of PARTITIONS) {
    const progress = { ...NO_PROGRESS, routed: 6 };
    const requests = new RequestsInFlight();
    const owned = new OwnedPartition({ partition, epoch: 1 }, progress, requests, clock, () => {
      return;
    });
    const part = new LanePart(LANE, owned);
    part.detach(4, [], -1);
    catchUp.add(part);
  }
  return catchUp;
};

it('leaves a slice whose reading takes long to itself, and reads nothing else of its partition meanwhile', async () => {
  let answer: (read: LogSlice) => void = () => undefined;
  const catchUp = start({
    read: (partition) =>
      reads.length > 1
        ? Promise.resolve(slice(partition))
        : new Promise((resolve) => (answer = resolve)),
  });
  await clock.advance(5 * SECOND_MS);
  const [first = NaN, second = NaN] = reads;
  expect(reads).toHaveLength(2);
  expect([given.get(first), given.get(second)]).toEqual([[], [4, 5]]);
  answer(slice(first));
  await clock.advance(5 * SECOND_MS);
  expect(given.get(first)).toEqual([4, 5]);
  expect([catchUp.parts.size, errors]).toEqual([0, []]);
});

it('reads again after a pause what could not be read, and goes on with other partitions before', async () => {
  const failed = new Set<number>();
  const catchUp = start({
    read: (partition) => {
      if (partition === reads[0] && !failed.has(partition)) {
        failed.add(partition);
        return Promise.reject(new Error('no leader'));
      }
      return Promise.resolve(slice(partition));
    },
  });
  await clock.advance(499);
  const [first, second] = reads;
  expect(reads).toEqual([first, second]);
  await clock.advance(SECOND_MS);
  expect(reads).toEqual([first, second, first]);
  expect(errors).toMatchObject([{ name: 'RouterFault', where: { partition: first } }]);
  expect(catchUp.parts.size).toBe(0);
});

it('works on one slice at a time, however long that takes', async () => {
  const catchUp = start({
    read: (partition) => Promise.resolve(slice(partition)),
    // The live reader goes first for a time, not for a turn of the event loop.
    lagMs: SECOND_MS,
    onGive: () => {
      if ([...given.values()].flat().length > 0) return;
      // More than a stretch of work: the rest is left to a later turn of the event loop.
      clock.freeze(10);
      clock.isHeld = true;
    },
  });
  await clock.advance(10 * SECOND_MS);
  const [first = NaN] = reads;
  expect([reads, given.get(first)]).toEqual([[first], [4]]);
  clock.release();
  await clock.advance(10 * SECOND_MS);
  expect(reads).toHaveLength(2);
  expect([...given.values()]).toEqual([
    [4, 5],
    [4, 5],
  ]);
  expect(catchUp.parts.size).toBe(0);
});
