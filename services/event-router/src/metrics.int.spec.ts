import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant } from '@penstock/contracts';
import { Registry } from 'prom-client';
import { Questions } from './deliveries/questions.fixture';
import { destinationState, Installation, sourceState } from './testing/installation.fixture';
import { pipelineState } from './testing/pipelines.fixture';
import { Receiver } from './testing/receiver.fixture';
import { until } from './testing/until.fixture';

jest.setTimeout(600_000);

let installation: Installation;
let receiver: Receiver;
let questions: Questions;

beforeEach(async () => {
  receiver = await Receiver.open();
  installation = await Installation.open();
  questions = new Questions(installation.log);
  await installation.configure(sourceState(), destinationState(receiver.url), pipelineState());
});

afterEach(async () => {
  await questions.close();
  await installation.close();
  await receiver.close();
});

const { id: pipeline, connection } = pipelineState();

/** The last hour, in whole minutes. */
const period = () => {
  const toMs = Math.ceil(Date.now() / 60_000) * 60_000;
  return {
    from: new Date(toMs - 3_600_000).toISOString() as Instant,
    to: new Date(toMs).toISOString() as Instant,
    stepSize: 'minute' as const,
  };
};

const accept = (...messageIds: readonly string[]): Promise<void> =>
  installation.accept(...messageIds.map((messageId) => ({ user: 'Ada', messageId })));

it('answers what passed and failed, latency and retries of a pipeline, and the events of its source', async () => {
  let answers = 0;
  receiver.answer = () => ((answers += 1) <= 2 ? 503 : 200);
  await installation.start();
  await accept('one', 'two', 'two', 'three');
  await until(async () => (await installation.counts())['Delivered'] === 3);
  const answer = await questions.ask('GetPipelineMetrics', { pipeline, connection, ...period() });
  const { total, points, lag } = answer;
  expect(total).toMatchObject({
    accepted: 4,
    opened: 3,
    passed: [3, 3, 3, 3, 3, 3],
    failed: [1, 0, 0, 0, 0, 0],
    endings: [
      { state: 'Delivered', code: '', count: 3 },
      { state: 'Duplicate', code: '', count: 1 },
    ],
  });
  expect(total.retries).toBeGreaterThanOrEqual(2);
  expect(total.latency?.p50).toBeGreaterThan(0);
  expect(points.length).toBeGreaterThan(0);
  expect(lag).toBe(0);
  const pipelines = [pipeline];
  expect(
    await questions.ask('GetConnectionMetrics', { connection, pipelines, ...period() }),
  ).toMatchObject({ total });
  expect(
    await questions.ask('GetConnectionMetrics', {
      connection: sourceState().id,
      pipelines: null,
      ...period(),
    }),
  ).toMatchObject({ total: { accepted: 4, duplicates: 1, differentBodies: 0, suppressed: 0 } });
});

it('tells for how long the oldest event has waited, and that nothing waits any more', async () => {
  receiver.answer = () => 503;
  await installation.start();
  await accept('one');
  const lag = async (): Promise<number> =>
    (await questions.ask('GetPipelineMetrics', { pipeline, connection, ...period() })).lag;
  await until(async () => (await lag()) >= 3);
  receiver.answer = () => 200;
  await until(async () => (await installation.counts())['Delivered'] === 1);
  await until(async () => (await lag()) === 0);
});

it('exposes times, retries, commits and open deliveries, and that nothing is unbalanced', async () => {
  const registry = new Registry();
  let answers = 0;
  receiver.answer = () => ((answers += 1) <= 1 ? 503 : 200);
  await installation.start({}, undefined, { registry });
  await accept('one', 'two');
  await until(async () => (await installation.counts())['Delivered'] === 2);
  await sleep(300);
  const metrics = await registry.metrics();
  for (const line of [
    'penstock_router_delivery_seconds_count 2',
    'penstock_router_delivery_seconds_bucket{le="+Inf"} 2',
    'penstock_router_events_total{kind="New"} 2',
    'penstock_router_deliveries_total{state="Delivered"} 2',
    'penstock_router_open_deliveries 0',
    'penstock_router_unbalanced_pipelines 0',
  ])
    expect(metrics.split('\n')).toContain(line);
  expect(metrics).toMatch(/^penstock_router_retries_total [1-9]$/m);
  expect(metrics).toMatch(/^penstock_router_commit_seconds_count [1-9]\d*$/m);
});
