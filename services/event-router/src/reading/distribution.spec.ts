import { Suppressions, writeAcceptedEvent, type ConnectionId } from '@penstock/contracts';
import { LanePart } from '../lanes/lane-part';
import { MemoryBudget } from '../progress/memory-budget';
import { OwnedPartition } from '../progress/owned-partition';
import { RequestsInFlight } from '../progress/requests-in-flight';
import { SteadyWall } from '../progress/steady-wall';
import type { IncomingEvent } from '../routing/incoming-event';
import { readIncoming } from '../routing/incoming';
import { DESTINATIONS, Facts, pipelineId, RoutesStand, SOURCES } from '../routing/routing.fixture';
import { NO_PROGRESS } from '../store/no-progress.fixture';
import { FakeClock } from '../testing/fake-clock';
import { WORKSPACE } from '../testing/pipelines.fixture';
import { Distribution } from './distribution';

const SOURCE = SOURCES[0]!;
const LANES = DESTINATIONS.slice(0, 2);
const NO_EVENT = '{"type":7}';

const clock = new FakeClock();
let position: number;
let partition: OwnedPartition;
let distribution: Distribution;
let errors: unknown[];

/** A record at offset 0 with a valid head and this event text. */
const incoming = (eventText: string): IncomingEvent => {
  const head = {
    workspace: WORKSPACE,
    source: SOURCE,
    messageId: 'm',
    seen: position,
  };
  const digest = 'a'.repeat(16);
  const value = writeAcceptedEvent({ ...head, integrations: null, digest, eventText });
  const read = readIncoming({ partition: 0, offset: 0, timestampMs: 0, key: 'key', value });
  if (read.kind === 'unreadable') throw new Error(read.reason);
  return read;
};

const detach = (lane: ConnectionId): LanePart => {
  const part = new LanePart(lane, partition);
  part.detach(0, [], 0);
  return part;
};

const kept = (): string[] =>
  (partition.pending()?.changes.unreadable ?? []).map(({ value }) => value.split('\n')[1]!);

beforeEach(async () => {
  const facts = new Facts();
  for (const [index, connection] of LANES.entries()) {
    facts.connection(connection, { role: 'Destination' });
    facts.pipeline(pipelineId(index), { connection });
  }
  facts.connection(SOURCE, { links: [...LANES] });
  const stand = new RoutesStand(facts);
  position = facts.position;
  await stand.at(SOURCE, position);
  const grant = { partition: 0, epoch: 1 };
  const requests = new RequestsInFlight();
  partition = new OwnedPartition(grant, NO_PROGRESS, requests, clock, () => undefined);
  errors = [];
  distribution = new Distribution({
    routes: stand.routes,
    suppressions: new Suppressions(stand.replica, (text) => text),
    budget: new MemoryBudget(1_000_000),
    wall: new SteadyWall(clock),
    lane: () => {
      throw new Error('no lane is to be given anything');
    },
    onError: (error) => errors.push(error),
  });
});

it('stores a record with a valid head and an invalid event when a lane would be given it', () => {
  detach(LANES[0]!);
  distribution.toAttached(partition, incoming(NO_EVENT), 'New');
  expect(kept()).toEqual([NO_EVENT]);
  expect(errors).toHaveLength(1);
});

it('does not parse an event that no attached lane gets; detached lanes parse it later', () => {
  const [one, other] = LANES.map(detach);
  const event = incoming(NO_EVENT);
  const parsing = jest.spyOn(event, 'event', 'get');
  expect(distribution.isSuppressed(event)).toBe(false);
  distribution.toAttached(partition, event, 'New');
  expect(parsing).not.toHaveBeenCalled();
  expect(partition.hasChanges).toBe(true);
  distribution.toLane(one!, incoming(NO_EVENT));
  expect(kept()).toEqual([NO_EVENT]);
  partition.confirm();
  distribution.toLane(other!, incoming(NO_EVENT));
  expect(kept()).toEqual([NO_EVENT]);
});

it('neither parses nor stores a duplicate', () => {
  const part = detach(LANES[0]!);
  const event = incoming(NO_EVENT);
  partition.repeat(0, 'Duplicate');
  distribution.toAttached(partition, event, 'Duplicate');
  distribution.toLane(part, event);
  expect(kept()).toEqual([]);
});
