import { readAcceptedEvent, TOPIC } from '@penstock/contracts';
import { openTelemetry, PENSTOCK_VARIABLES, readConfig, type Telemetry } from '@penstock/runtime';
import { OtlpReceiver, type ReceivedSpan } from '@penstock/test-servers';
import { Registry } from 'prom-client';
import { GatewayStand } from './testing/gateway.fixture';
import { apiKey, organization, source, workspace } from './testing/installation.fixture';

const [TRACE_ID, SPAN_ID] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
const [SAMPLED, UNSAMPLED] = ['01', '00'].map((flags) => `00-${TRACE_ID}-${SPAN_ID}-${flags}`);

const key = apiKey('read');
const server = source('nodejs');

let receiver: OtlpReceiver;
let stand: GatewayStand;
let telemetry: Telemetry;

const start = async (ratio = '0'): Promise<void> => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  };
  const config = readConfig(env, PENSTOCK_VARIABLES, [], { folder: '/nowhere' });
  const options = { service: 'api-gateway', registry: new Registry(), onFault: () => undefined };
  telemetry = (await openTelemetry(config, options)) as Telemetry;
  await stand.configure(organization({ apiKeys: [key.record] }), workspace(), server.state);
  await stand.start({ tracing: telemetry.tracing });
};

beforeEach(async () => {
  receiver = await OtlpReceiver.open();
  stand = new GatewayStand();
});

afterEach(() => receiver.close());

/** Stops the gateway; what it has exported. */
const exported = async (): Promise<readonly ReceivedSpan[]> => {
  await stand.stop();
  await telemetry.close();
  return receiver.spans;
};

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly token?: string;
  readonly traceparent?: string;
  readonly body?: object;
}

const call = ({ path, method = 'GET', token = key.key, traceparent, body }: Call) =>
  fetch(stand.url(path), {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json' }),
      ...(traceparent !== undefined && { traceparent }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

const event = (messageId: string): object => ({
  type: 'track',
  event: 'Buy',
  userId: 'Ada',
  messageId,
});

const send = (messageId: string, traceparent?: string): Promise<Response> =>
  call({
    path: '/v1/events?secret=1',
    method: 'POST',
    token: server.key,
    body: event(messageId),
    ...(traceparent !== undefined && { traceparent }),
  });

const traceparents = (): (string | undefined)[] =>
  stand.log.recordsOf(TOPIC.events).map(({ value }) => readAcceptedEvent(value ?? '').traceparent);

it('continues the trace of a sampled request, and records it with the event', async () => {
  await start();
  expect((await send('m1', SAMPLED)).status).toBe(200);
  const [request, append] = (await exported()).toSorted((a, b) => a.kind - b.kind);
  expect(request).toMatchObject({
    name: 'HTTP POST /v1/events',
    kind: 2,
    traceId: TRACE_ID,
    parentSpanId: SPAN_ID,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/events',
      'http.response.status_code': 200,
    },
  });
  expect(append).toMatchObject({
    name: 'events append',
    kind: 4,
    traceId: TRACE_ID,
    parentSpanId: request!.spanId,
    attributes: { 'messaging.batch.message_count': 1, 'penstock.connection.id': server.state.id },
  });
  expect(traceparents()).toEqual([`00-${TRACE_ID}-${append!.spanId}-01`]);
});

it('says nothing of the event, its sender or the query', async () => {
  await start();
  await send('message-1', SAMPLED);
  const text = JSON.stringify(await exported());
  expect(text).not.toMatch(/Ada|Buy|message-1|secret/);
  expect(text).not.toContain(server.key);
});

it('makes no span of a request that is not sampled, and records nothing with its events', async () => {
  await start();
  await send('m1', UNSAMPLED);
  await send('m2');
  expect(await exported()).toEqual([]);
  expect(traceparents()).toEqual([undefined, undefined]);
});

it('begins traces at the configured ratio', async () => {
  await start('1');
  await send('m1', 'not a traceparent');
  const spans = await exported();
  expect(spans).toHaveLength(2);
  expect(spans[0]!.traceId).not.toBe(TRACE_ID);
  expect(traceparents()[0]).toContain(spans[0]!.traceId);
});

it.each([
  ['/v1/connections/connection0001', 'GET', 'HTTP GET /v1/connections/:id'],
  ['/v1/connections?limit=1', 'GET', 'HTTP GET /v1/connections'],
  ['/v1/webhooks/some-key', 'POST', 'HTTP POST /v1/webhooks/:key'],
  ['/v1/projects/some-key/settings', 'GET', 'HTTP GET /v1/projects/:key/settings'],
  ['/nowhere/Ada', 'GET', 'HTTP GET'],
])('names %s by its route', async (path, method, name) => {
  await start();
  await (await call({ path, method, traceparent: SAMPLED! })).text();
  const spans = await exported();
  expect(spans.filter(({ kind }) => kind === 2).map((span) => span.name)).toEqual([name]);
  expect(JSON.stringify(spans)).not.toMatch(/some-key|Ada|connection0001/);
});

it('marks as failed what the gateway could not do, not what it has refused', async () => {
  await start();
  await call({ path: '/v1/connections', token: 'nobody', traceparent: SAMPLED! });
  const [refused] = await exported();
  expect(refused).toMatchObject({ attributes: { 'http.response.status_code': 401 } });
  expect(refused!.status?.code ?? 0).toBe(0);
});
