import type { ConnectionId } from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import { LanePart } from '../lanes/lane-part';
import { MemoryBudget } from '../progress/memory-budget';
import { OwnedPartition } from '../progress/owned-partition';
import { RequestsInFlight } from '../progress/requests-in-flight';
import type { Incoming } from '../routing/incoming';
import { FakeClock } from '../testing/fake-clock';
import { PipelineVersions } from '../routing/pipeline-versions';
import { Place } from './place';
import { NO_PROGRESS } from '../store/no-progress.fixture';
import { Slices, type SlicesContext } from './slices';

const LANE = 'lane' as ConnectionId;

const records = [4, 5, 6, 7].map((offset): LogRecord => ({
  partition: 0,
  offset,
  timestampMs: 0,
  key: 'key',
  value: '',
}));

const clock = new FakeClock();

/** @param meanwhile called while a slice is read. @returns the offsets that the place was given. */
const given = async (meanwhile: (partition: OwnedPartition) => void): Promise<number[]> => {
  const grant = { partition: 0, epoch: 1 };
  const progress = { ...NO_PROGRESS, routed: 6 };
  const requests = new RequestsInFlight();
  const partition = new OwnedPartition(grant, progress, requests, clock, () => undefined);
  const part = new LanePart(LANE, partition);
  part.detach(4, [], 0);
  const offsets: number[] = [];
  const slices = new Slices({
    clock,
    budget: new MemoryBudget(1_000_000),
    routes: {
      prepare: ({ length }: readonly unknown[]) => Promise.resolve(length),
      versions: () => Promise.resolve(new PipelineVersions()),
    },
    placement: {
      expire: () => undefined,
      give: (place: Place, { record: { offset } }: Incoming) => {
        offsets.push(offset);
        place.skipTo(offset + 1);
      },
    },
    read: () => {
      meanwhile(partition);
      return Promise.resolve({ records, next: 8, begin: 0, end: 8 });
    },
    lane: () => ({
      health: { isBlocked: false },
      bytes: 0,
      room: () => 10,
      maxKeyLength: 10,
      mayTake: () => true,
    }),
    sliceBytes: 1_000,
  } as unknown as SlicesContext);
  const places = Place.of(part);
  await slices.serve(places[0]!, places, () => undefined);
  return offsets;
};

it('gives a lane the records that the live reader has routed', async () => {
  expect(await given(() => undefined)).toEqual([4, 5]);
  const routedOn = (partition: OwnedPartition): void => {
    partition.advance({ partition: 0, offset: 6, timestampMs: 0, key: '', value: '' });
  };
  expect(await given(routedOn)).toEqual([4, 5, 6]);
});

it('gives a lane no records that were read before the live reader skipped a gap', async () => {
  const gap = (partition: OwnedPartition): void => {
    partition.skipGap(8);
  };
  expect(await given(gap)).toEqual([]);
});
