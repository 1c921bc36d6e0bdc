import type { ConnectionId, PipelineId } from '@penstock/contracts';
import { LanePart } from '../lanes/lane-part';
import { OwnedPartition } from '../progress/owned-partition';
import { RequestsInFlight } from '../progress/requests-in-flight';
import { NO_PROGRESS } from '../store/no-progress.fixture';
import { FakeClock } from '../testing/fake-clock';
import { WaitingEvents } from './waiting-events';

const PIPELINE = 'pipeline' as PipelineId;
const OTHER = 'other' as PipelineId;
const LANE = 'lane' as ConnectionId;
const SECOND = 1_000;

let clock: FakeClock;
let partition: OwnedPartition;
let noted: Record<string, number>[];
let reads: number[];
let waiting: WaitingEvents;
let startMs: number;

beforeEach(() => {
  clock = new FakeClock();
  startMs = clock.wallMs();
  const grant = { partition: 0, epoch: 1 };
  const progress = { ...NO_PROGRESS, routed: 100 };
  partition = new OwnedPartition(grant, progress, new RequestsInFlight(), clock, () => undefined);
  noted = [];
  reads = [];
  waiting = new WaitingEvents({
    clock,
    read: (_, offset) => {
      reads.push(offset);
      const record = { partition: 0, offset, timestampMs: startMs - offset, key: '', value: '' };
      return Promise.resolve({ records: [record], next: offset + 1, begin: 0, end: 100 });
    },
    store: {
      noteWaiting: (_, since) => {
        noted.push(Object.fromEntries([...since].map(([about, atMs]) => [about, atMs - startMs])));
        return Promise.resolve();
      },
    },
  });
});

const open = (pipeline: PipelineId, offset: number, receivedMs?: number) => {
  const entry = { offset, pipeline, version: 1, attempts: 0, dueMs: 0 };
  const opened = receivedMs === undefined ? entry : { ...entry, receivedMs };
  partition.open.open(opened);
  return opened;
};

const look = async (...behind: readonly LanePart[]): Promise<void> => {
  await waiting.look([partition], new Set(behind));
};

it('notes the oldest open event of a pipeline from five seconds on', async () => {
  const first = open(PIPELINE, 1, startMs);
  open(PIPELINE, 2, startMs + SECOND);
  open(OTHER, 3, startMs + 2 * SECOND);
  open(OTHER, 4);
  await clock.advance(5 * SECOND - 1);
  await look();
  expect(noted).toEqual([{}]);
  await clock.advance(1);
  await look();
  expect(noted.at(-1)).toEqual({ [PIPELINE]: 0 });
  partition.open.close(first);
  await clock.advance(2 * SECOND);
  await look();
  expect(noted.at(-1)).toEqual({ [PIPELINE]: SECOND, [OTHER]: 2 * SECOND });
});

it('writes what has changed, and all of it again after a minute', async () => {
  open(PIPELINE, 1, startMs);
  await clock.advance(10 * SECOND);
  for (let times = 0; times < 6; times += 1) {
    await look();
    await clock.advance(10 * SECOND);
  }
  expect(noted).toHaveLength(1);
  await look();
  expect(noted).toEqual([{ [PIPELINE]: 0 }, { [PIPELINE]: 0 }]);
});

it('notes for a destination since when its detached lane, or a key of it, has to be given events', async () => {
  const part = new LanePart(LANE, partition);
  part.detach(40, [], clock.nowMs());
  await clock.advance(10 * SECOND);
  await look(part);
  expect(noted.at(-1)).toEqual({ [LANE]: -40 });
  await look(part);
  expect(reads).toEqual([40]);
  part.detachKey('key', 7, [], clock.nowMs());
  await look(part);
  expect(noted.at(-1)).toEqual({ [LANE]: -7 });
  part.detachment?.skipTo(100);
  part.keyDetachments.get('key')?.skipTo(100);
  await look(part);
  expect(noted.at(-1)).toEqual({});
  expect(reads).toEqual([40, 7]);
});

it('reads at most fifty records at once', async () => {
  const parts = Array.from({ length: 60 }, (_, index) => {
    const part = new LanePart(`lane${index}` as ConnectionId, partition);
    part.detach(index, [], clock.nowMs());
    return part;
  });
  await clock.advance(10 * SECOND);
  await look(...parts);
  expect(reads).toHaveLength(50);
  expect(Object.keys(noted.at(-1)!)).toHaveLength(50);
  await look(...parts);
  expect(reads).toHaveLength(60);
  expect(Object.keys(noted.at(-1)!)).toHaveLength(60);
});

it('writes nothing of a lost partition', async () => {
  open(PIPELINE, 1, startMs);
  await clock.advance(10 * SECOND);
  partition.lose();
  await look();
  expect(noted).toEqual([]);
});
