import {
  bodyDigest,
  type ConnectionId,
  type EndedDeliveries,
  type Instant,
  outcomesKey,
  type PipelineId,
  TOPIC,
  type WorkspaceId,
  writeAcceptedEvent,
  writeOutcomes,
} from '@penstock/contracts';
import { LogUnavailable } from '@penstock/messaging';
import { MemoryLog } from '../testing/memory-log.fixture';
import { RecentEvents } from './recent-events';

const SOURCES = ['source000000001', 'source000000002'] as ConnectionId[];
const TIME = '2026-03-01T09:30:00.000Z' as Instant;
const PIPELINE = 'pipeline0000001' as PipelineId;

let log: MemoryLog;
let isAway: boolean;
let wanted: readonly string[];
let recent: RecentEvents;

beforeEach(() => {
  log = new MemoryLog();
  isAway = false;
  wanted = SOURCES;
  const away = { ...reads(), endOffsets: (topic: string) => log.endOffsets(topic) };
  recent = new RecentEvents(away, (source) => wanted.includes(source));
});

/** Reads of events fail while they are away. */
const reads = () => ({
  read: (topic: string, partition: number, offset: number) =>
    isAway && topic === TOPIC.events
      ? Promise.reject(new LogUnavailable('away'))
      : log.read(topic, partition, offset),
});

const accepts = (source: ConnectionId): Promise<unknown> => {
  const value = writeAcceptedEvent({
    workspace: 'workspace000001' as WorkspaceId,
    source,
    messageId: 'm',
    seen: 1,
    integrations: null,
    digest: bodyDigest('{', '}'),
    eventText:
      `{"connectionId":"${source}","anonymousId":"a","messageId":"m","type":"track","event":"E","properties":{},` +
      `"receivedAt":"${TIME}","sentAt":"${TIME}","originalTimestamp":"${TIME}","timestamp":"${TIME}","traits":{}}`,
  });
  return log.append(TOPIC.events, [{ key: 'k', value }]);
};

const appendOutcomes = (value: string): Promise<unknown> =>
  log.append(TOPIC.outcomes, [{ key: outcomesKey(0), value }]);

const ends = (offset: number): Promise<unknown> => {
  const ended: EndedDeliveries = {
    pipeline: PIPELINE,
    version: 1,
    state: 'Delivered',
    code: '',
    attempts: 1,
    at: TIME,
    status: null,
    offsets: [offset],
  };
  const [value = ''] = writeOutcomes({ partition: 0, epoch: 1, sequence: 1 }, [ended]);
  return appendOutcomes(value);
};

/** Offsets of the events, newest first, and whether their deliveries have ended. */
const read = async (): Promise<readonly (readonly [number, boolean])[]> =>
  (await recent.read()).map(({ record, outcomes }) => [record.offset, outcomes.size > 0]);

it.each(['', 'null', '[', '{"form":2}', '{"form":1,"partition":0}'])(
  'reads on after the record %j of outcomes',
  async (value) => {
    await accepts(SOURCES[0]!);
    await appendOutcomes(value);
    await ends(0);
    expect(await read()).toEqual([[0, true]]);
    await accepts(SOURCES[0]!);
    await ends(1);
    expect(await read()).toEqual([
      [1, true],
      [0, true],
    ]);
  },
);

it('has the newest 1,000 records of outcomes that it read while events could not be read', async () => {
  isAway = true;
  for (const source of SOURCES) await accepts(source);
  await ends(0);
  for (let count = 1; count <= 1_000; count += 1) {
    await ends(count === 1 ? 1 : 7);
    if (count % 100 === 0) await expect(recent.read()).rejects.toThrow('away');
  }
  isAway = false;
  expect(await read()).toEqual([
    [1, true],
    [0, false],
  ]);
});

it('has no events of a source any more that is not wanted any more', async () => {
  for (const source of SOURCES) await accepts(source);
  expect(await read()).toHaveLength(2);
  wanted = [SOURCES[1]!];
  expect(await read()).toEqual([[1, false]]);
});
