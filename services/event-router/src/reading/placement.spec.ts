import type { ConnectionId, PipelineId } from '@penstock/contracts';
import { LanePart } from '../lanes/lane-part';
import type { OpenEntry } from '../progress/open-deliveries';
import { OwnedPartition } from '../progress/owned-partition';
import { RequestsInFlight } from '../progress/requests-in-flight';
import { SteadyWall } from '../progress/steady-wall';
import { countKey, type PartitionChanges } from '../store/changes';
import { FakeClock } from '../testing/fake-clock';
import { NO_PROGRESS } from '../store/no-progress.fixture';
import { Place } from './place';
import { Placement, type PlacementContext } from './placement';

const LANE = 'lane' as ConnectionId;
const PIPELINE = 'pipeline' as PipelineId;

const clock = new FakeClock();
const wall = new SteadyWall(clock);
const expired = countKey(
  PIPELINE,
  { state: 'Parked', step: 'Finalize', code: 'Expired' },
  wall.nowMs(),
);

const newPart = (): LanePart => {
  const progress = { ...NO_PROGRESS, routed: 10 };
  const grant = { partition: 0, epoch: 1 };
  const requests = new RequestsInFlight();
  return new LanePart(LANE, new OwnedPartition(grant, progress, requests, clock, () => undefined));
};

const placement = new Placement({ wall, onError: () => undefined } as unknown as PlacementContext);

const changesOf = ({ partition }: LanePart): PartitionChanges => partition.pending()!.changes;

const open = (part: LanePart, offset: number): OpenEntry => {
  const entry = { offset, pipeline: PIPELINE, version: 1, attempts: 2, dueMs: 0 };
  part.partition.open.open(entry);
  return entry;
};

it('expires open deliveries and reports records that a lane was not given when retention has removed them', () => {
  const part = newPart();
  part.detach(5, [open(part, 2), open(part, 7)], 0);
  placement.expire(Place.of(part)[0]!, 6);
  const { counts, outcomes, unreadable, cursors, open: left } = changesOf(part);
  expect(counts).toEqual(new Map([[expired, 1]]));
  expect(outcomes).toMatchObject([{ offset: 2, state: 'Parked', code: 'Expired', attempts: 2 }]);
  expect(left).toMatchObject([{ offset: 7 }]);
  expect(unreadable).toMatchObject([
    { offset: 5, reason: 'retention has removed 1 records before lane lane was given them' },
  ]);
  expect(cursors).toMatchObject([{ position: 6 }]);
});

it('leaves records that were not routed yet to the live reader, wherever the log begins', () => {
  const part = newPart();
  part.detach(8, [], 0);
  const [place] = Place.of(part);
  placement.expire(place!, 30);
  placement.expire(place!, 30);
  const { unreadable } = changesOf(part);
  expect(unreadable).toMatchObject([
    { offset: 8, reason: 'retention has removed 2 records before lane lane was given them' },
  ]);
  expect(place!.at).toBe(10);
});

it('expires what is left to a key when the key has read everything, and not before', () => {
  const part = newPart();
  const { cursors } = part.partition;
  part.detachKey('key', 4, [], 0);
  const [place] = Place.of(part);
  for (let times = 0; times < 3; times += 1) cursors.owe(place!.detachment.cursor, PIPELINE);
  placement.expire(place!, 9);
  placement.expireOwed(place!);
  expect(changesOf(part)).toMatchObject({ counts: new Map(), unreadable: [] });
  part.partition.confirm();
  cursors.pay(place!.detachment.cursor, PIPELINE);
  place!.skipTo(10);
  placement.expireOwed(place!);
  placement.expireOwed(place!);
  const { counts, cursors: written } = changesOf(part);
  expect(counts).toEqual(new Map([[expired, 2]]));
  expect(written).toMatchObject([{ orderKey: 'key', position: 10, owed: new Map() }]);
});
