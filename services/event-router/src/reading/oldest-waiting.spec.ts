import type { ConnectionId, PipelineId } from '@penstock/contracts';
import { OwnedPartition } from '../progress/owned-partition';
import { RequestsInFlight } from '../progress/requests-in-flight';
import { NO_PROGRESS } from '../store/no-progress.fixture';
import { FakeClock } from '../testing/fake-clock';
import { OldestWaiting } from './oldest-waiting';

const HOUR_MS = 3_600_000;
const RETENTION_MS = 100 * HOUR_MS;

let clock: FakeClock;
let partition: OwnedPartition;
let errors: string[];
let reads: number[];
let oldest: OldestWaiting;

/** A log whose records were appended an hour apart, the newest (offset 10) now. */
const read = (_: number, offset: number) => {
  reads.push(offset);
  const timestampMs = clock.wallMs() - (10 - offset) * HOUR_MS;
  const record = { partition: 0, offset, timestampMs, key: '', value: '' };
  return Promise.resolve({ records: [record], next: offset + 1, begin: 0, end: 11 });
};

const open = (offset: number) => {
  const pipeline = 'pipeline' as PipelineId;
  const entry = { offset, pipeline, version: 1, attempts: 0, dueMs: 0 };
  partition.open.open(entry);
  return entry;
};

const age = async (): Promise<number | undefined> => {
  await oldest.look([partition]);
  return oldest.agesMs.get(0);
};

beforeEach(() => {
  clock = new FakeClock();
  const grant = { partition: 0, epoch: 1 };
  const progress = { ...NO_PROGRESS, routed: 11 };
  const requests = new RequestsInFlight();
  partition = new OwnedPartition(grant, progress, requests, clock, () => undefined);
  errors = [];
  reads = [];
  const onError = (error: unknown) => errors.push(String(error));
  oldest = new OldestWaiting({ clock, read, retentionMs: RETENTION_MS, onError });
});

it('is the open delivery with the lowest offset, whichever was opened first', async () => {
  open(8);
  const first = open(4);
  open(6);
  expect(await age()).toBe(6 * HOUR_MS);
  partition.open.close(first);
  expect(await age()).toBe(4 * HOUR_MS);
});

it('is the first event that the furthest detached lane was not given', async () => {
  open(8);
  const cursor = partition.holdCursor({ lane: 'lane' as ConnectionId, orderKey: '' }, 3);
  expect(await age()).toBe(7 * HOUR_MS);
  cursor.position = 11;
  expect(await age()).toBe(2 * HOUR_MS);
});

it('leaves out partitions in which nothing waits, or that are not owned any more', async () => {
  partition.holdCursor({ lane: 'lane' as ConnectionId, orderKey: '' }, 11);
  expect(await age()).toBeUndefined();
  open(5);
  expect(await age()).toBe(5 * HOUR_MS);
  partition.lose();
  expect(await age()).toBeUndefined();
});

it('reads a record only when the oldest event has changed, and warns hourly from 80 % of the retention on', async () => {
  open(5);
  await age();
  await clock.advance(75 * HOUR_MS - 1);
  await age();
  expect(errors).toEqual([]);
  await clock.advance(1);
  await age();
  await age();
  expect(errors).toEqual([
    'Error: events partition 0 offset 5 has waited for a destination for 80 hours, and the log keeps it for 100: repair or delete the destination, see penstock_router.lanes, or raise PENSTOCK_EVENTS_RETENTION, else it is lost',
  ]);
  await clock.advance(HOUR_MS);
  await age();
  expect(errors).toHaveLength(2);
  expect(reads).toEqual([5]);
});
