import { openTelemetry, PENSTOCK_VARIABLES, readConfig, type Telemetry } from '@penstock/runtime';
import { OtlpReceiver, type ReceivedSpan } from '@penstock/test-servers';
import { Registry } from 'prom-client';
import {
  destinationState,
  Installation,
  SOURCE,
  sourceState,
} from '../testing/installation.fixture';
import { DESTINATION, pipelineState } from '../testing/pipelines.fixture';
import { Receiver } from '../testing/receiver.fixture';
import { until } from '../testing/until.fixture';

jest.setTimeout(600_000);

const SPAN_ID = '00f067aa0ba902b7';

const traceId = (n: number): string => n.toString(16).padStart(32, '0');

const sampled = (n: number): { readonly traceparent: string } => ({
  traceparent: `00-${traceId(n)}-${SPAN_ID}-01`,
});

let collector: OtlpReceiver;
let receiver: Receiver;
let installation: Installation;
let telemetry: Telemetry;

beforeEach(async () => {
  [collector, receiver, installation] = await Promise.all([
    OtlpReceiver.open(),
    Receiver.open(),
    Installation.open(),
  ]);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_TRACES_SAMPLER_ARG: '0' };
  const config = readConfig(env, PENSTOCK_VARIABLES, [], { folder: '/nowhere' });
  const options = { service: 'event-router', registry: new Registry(), onFault: () => undefined };
  telemetry = (await openTelemetry(config, options)) as Telemetry;
});

afterEach(async () => {
  await installation.close();
  await Promise.all([receiver.close(), collector.close()]);
});

const start = async (settings: object = {}): Promise<void> => {
  const destination = destinationState(receiver.url, settings);
  await installation.configure(sourceState(), destination, pipelineState());
  await installation.start({}, undefined, { tracing: telemetry.tracing });
};

const ended = async (count: number): Promise<void> => {
  await until(async () => {
    const counts = Object.values(await installation.counts());
    return counts.reduce((sum, each) => sum + each, 0) === count;
  });
};

/** Exports what there is. @returns the spans of each name, in the order in which they ended. */
const spans = async (): Promise<Readonly<Record<string, ReceivedSpan[]>>> => {
  await telemetry.close();
  const byName: Record<string, ReceivedSpan[]> = {};
  for (const span of collector.spans) (byName[span.name] ??= []).push(span);
  return byName;
};

it('makes spans of sampled events only, from the log to the answer of the destination', async () => {
  await start();
  await installation.accept(
    { user: 'a', messageId: 'm1', ...sampled(1) },
    { user: 'b', messageId: 'm2' },
  );
  await ended(2);
  const { route: [route, ...routes] = [], 'deliver http': [deliver, ...delivers] = [] } =
    await spans();
  expect([routes, delivers]).toEqual([[], []]);
  expect(route).toMatchObject({
    kind: 5,
    traceId: traceId(1),
    parentSpanId: SPAN_ID,
    attributes: {
      'messaging.destination.name': 'events',
      'penstock.connection.id': SOURCE,
      'penstock.event.kind': 'New',
    },
  });
  expect(deliver).toMatchObject({
    kind: 3,
    traceId: traceId(1),
    parentSpanId: route!.spanId,
    attributes: {
      'penstock.connection.id': DESTINATION,
      'penstock.pipelines': [`${pipelineState().id}@1`],
      'penstock.attempt': 1,
      'http.response.status_code': 200,
    },
  });
  expect(deliver!.status?.code ?? 0).toBe(0);
  expect(JSON.stringify(collector.spans)).not.toMatch(/m1|127\.0\.0\.1/);
});

it('makes spans of commits that record an ending of a sampled event', async () => {
  await start({ batchSize: 100 });
  await installation.accept({ user: 'b', messageId: 'unsampled' });
  await ended(1);
  await installation.accept(
    ...[1, 2, 3].map((n) => ({ user: 'a', messageId: `m${n}`, ...sampled(n) })),
  );
  await ended(4);
  const { route: routes = [], commit: commits = [] } = await spans();
  const known = commits.flatMap(({ parentSpanId, links = [] }) => [
    parentSpanId,
    ...links.map(({ spanId }) => spanId),
  ]);
  expect(known.sort()).toEqual(routes.map(({ spanId }) => spanId).sort());
  for (const commit of commits)
    expect(commit).toMatchObject({
      kind: 3,
      attributes: { 'db.system.name': 'postgresql', 'penstock.partitions': 1 },
    });
  const endings = commits.map(({ attributes }) => Number(attributes['penstock.endings']));
  expect(endings.reduce((sum, each) => sum + each, 0)).toBe(3);
});

it('makes one span of each attempt, with its status', async () => {
  let answers = 0;
  receiver.answer = () => ((answers += 1) === 1 ? 503 : 200);
  await start();
  await installation.accept({ user: 'a', messageId: 'm1', ...sampled(1) });
  await ended(1);
  const { route: [route] = [], 'deliver http': attempts = [] } = await spans();
  expect(attempts).toMatchObject([
    {
      parentSpanId: route!.spanId,
      attributes: {
        'penstock.attempt': 1,
        'http.response.status_code': 503,
        'error.type': '503',
      },
      status: { code: 2 },
    },
    {
      parentSpanId: route!.spanId,
      attributes: { 'penstock.attempt': 2, 'http.response.status_code': 200 },
    },
  ]);
});

it.each([
  [3, 2],
  [33, 32],
  [50, 32],
])('is in the trace of the first of %i sampled events, and has %i links', async (count, links) => {
  await start({ batchSize: 100 });
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  await installation.accept(
    { user: 'a', messageId: 'unsampled' },
    ...numbers.map((n) => ({ user: 'a', messageId: `m${n}`, ...sampled(n) })),
  );
  await ended(count + 1);
  const { route: routes = [], 'deliver http': delivers = [] } = await spans();
  expect(routes.map((span) => span.traceId)).toEqual(numbers.map(traceId));
  expect(delivers).toHaveLength(1);
  const [deliver] = delivers;
  expect(deliver).toMatchObject({
    traceId: traceId(1),
    parentSpanId: routes[0]!.spanId,
    attributes: { 'messaging.batch.message_count': count + 1 },
  });
  expect(deliver!.links?.map(({ spanId }) => spanId)).toEqual(
    routes.slice(1, 1 + links).map(({ spanId }) => spanId),
  );
});

it('keeps the trace of a delivery that another router sends', async () => {
  receiver.answer = () => 503;
  await installation.configure(sourceState(), destinationState(receiver.url), pipelineState());
  const first = await installation.start();
  await installation.accept({ user: 'a', messageId: 'm1', ...sampled(1) });
  await until(() => receiver.requests > 0);
  await first.close();
  receiver.answer = () => 200;
  await installation.start({}, undefined, { tracing: telemetry.tracing });
  await ended(1);
  const { 'deliver http': delivers = [] } = await spans();
  expect(delivers.at(-1)).toMatchObject({
    traceId: traceId(1),
    attributes: { 'http.response.status_code': 200 },
  });
});
