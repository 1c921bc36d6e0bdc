import { bodyDigest, type ConnectionId, type JobId, writeAcceptedEvent } from '@penstock/contracts';
import type { OfReplay } from '../lanes/delivery';
import { LanePart } from '../lanes/lane-part';
import { MemoryBudget } from '../progress/memory-budget';
import { OwnedPartition } from '../progress/owned-partition';
import { RequestsInFlight } from '../progress/requests-in-flight';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import { PipelineVersions } from '../routing/pipeline-versions';
import type { StoredDelivery } from '../store/changes';
import { NO_PROGRESS } from '../store/no-progress.fixture';
import { FakeClock } from '../testing/fake-clock';
import { pipelineState, WORKSPACE } from '../testing/pipelines.fixture';
import { RowLoader } from './row-loader';

const SOURCE = 'source000000001' as ConnectionId;
const LANE = 'lane' as ConnectionId;
const KEY = `${SOURCE}/user`;
const DELIVERED = { state: 'Delivered', step: 'Finalize', code: '', reason: '' } as const;

const state = pipelineState({});
const time = new Date(0).toISOString();
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const event = {
  workspace: WORKSPACE,
  source: SOURCE,
  messageId: 'message',
  seen: 1,
  integrations: null,
  digest: bodyDigest('', ''),
  eventText:
    `{"connectionId":"${SOURCE}","anonymousId":"user","event":"E","messageId":"message","properties":{},` +
    `"receivedAt":"${time}","sentAt":"${time}","originalTimestamp":"${time}","timestamp":"${time}",` +
    '"traits":{},"type":"track"}',
};
const body = writeAcceptedEvent(event);

const row = (offset: number): StoredDelivery => ({
  offset,
  pipeline: state.id,
  version: 1,
  lane: LANE,
  orderKey: KEY,
  attempts: 1,
  dueMs: 0,
  state: 'Waiting',
  step: null,
  code: '',
  reason: 'not now',
  body,
});

const clock = new FakeClock();
const PAGE = { rows: 100, maxBytes: 1_000_000 };

const loaderOf = (
  stored: () => readonly StoredDelivery[],
  replay: OfReplay | null = null,
): RowLoader =>
  new RowLoader({
    rowsAfter: (_, after) =>
      Promise.resolve(
        stored()
          .filter(({ offset }) => offset > (after?.offset ?? -1))
          .map((each) => ({ ...each, redrive: null, replay, isErased: false })),
      ),
    budget: new MemoryBudget(1_000_000),
    versions: (rows) => {
      const versions = new PipelineVersions();
      const pipeline = { state, function: null } as unknown as CompiledPipeline;
      for (const each of rows) versions.set(each, pipeline);
      return Promise.resolve(versions);
    },
    nowMs: () => clock.wallMs(),
  });

it('loads no row that has ended and whose ending was not committed when the query began', async () => {
  const grant = { partition: 0, epoch: 1 };
  const requests = new RequestsInFlight();
  const partition = new OwnedPartition(grant, NO_PROGRESS, requests, clock, () => undefined);
  const key = new LanePart(LANE, partition).key(KEY);
  const offsetsIn = async (loader: RowLoader): Promise<number[]> =>
    (await loader.load(key, PAGE)).map(({ held }) => held.read.offset);
  const loader = loaderOf(() => [row(1), row(2), row(3)]);
  const end = (offset: number): void => {
    partition.gather(({ settled }) => {
      settled.push({ offset, pipeline: state.id, ending: DELIVERED });
    });
  };

  expect(await offsetsIn(loader)).toEqual([1, 2, 3]);
  end(1);
  expect(await offsetsIn(loader)).toEqual([2, 3]);
  partition.pending();
  end(3);
  expect(await offsetsIn(loader)).toEqual([2]);
  const confirming = loaderOf(() => {
    partition.confirm();
    return [row(1), row(2), row(3)];
  });
  expect(await offsetsIn(confirming)).toEqual([2]);
});

it('loads a row of a replay though a live delivery of its name is ending', async () => {
  const grant = { partition: 0, epoch: 1 };
  const requests = new RequestsInFlight();
  const partition = new OwnedPartition(grant, NO_PROGRESS, requests, clock, () => undefined);
  const key = new LanePart(LANE, partition).key(KEY);
  const replay: OfReplay = {
    job: 'replay0000000001' as JobId,
    book: { tried: () => undefined, ended: () => undefined, lost: () => undefined },
  };
  const loader = loaderOf(() => [row(1), row(2)], replay);
  partition.gather(({ settled }) => {
    settled.push({ offset: 1, pipeline: state.id, ending: DELIVERED });
  });
  const offsets = (await loader.load(key, PAGE)).map(({ held }) => held.read.offset);
  expect(offsets).toEqual([1, 2]);
});

it('keeps the trace context of a stored event', async () => {
  const grant = { partition: 0, epoch: 1 };
  const requests = new RequestsInFlight();
  const partition = new OwnedPartition(grant, NO_PROGRESS, requests, clock, () => undefined);
  const key = new LanePart(LANE, partition).key(KEY);
  const traced = writeAcceptedEvent({ ...event, traceparent: TRACEPARENT });
  const loader = loaderOf(() => [row(1), { ...row(2), body: traced }]);
  const contexts = (await loader.load(key, PAGE)).map(({ held }) => held.read.traceparent);
  expect(contexts).toEqual([undefined, TRACEPARENT]);
});
