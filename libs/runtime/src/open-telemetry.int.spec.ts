import { setTimeout as sleep } from 'node:timers/promises';
import { OtlpReceiver } from '@penstock/test-servers';
import { Counter, Registry } from 'prom-client';
import { PENSTOCK_VARIABLES } from './config/penstock-variables';
import { readConfig } from './config/read-config';
import type { Fault } from './logging/outages';
import { openTelemetry } from './open-telemetry';
import type { Telemetry } from './telemetry/telemetry';

jest.setTimeout(30_000);

/** Longer than the time limit of a close, 2 s, and shorter than that of an export, 10 s. */
const CLOSE_MS = 8_000;

const [TRACE_ID, SPAN_ID] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
const PARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;

let receiver: OtlpReceiver;

beforeEach(async () => {
  receiver = await OtlpReceiver.open();
});

afterEach(() => receiver.close());

const open = async (env: Readonly<Record<string, string>> = {}) => {
  const faults: Fault[] = [];
  const registry = new Registry();
  const config = readConfig(
    { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, ...env },
    PENSTOCK_VARIABLES,
    [],
    { folder: '/nowhere' },
  );
  const onFault = (fault: Fault): unknown => faults.push(fault);
  const telemetry = await openTelemetry(config, { service: 'event-router', registry, onFault });
  const dropped = async (signal: string): Promise<number> => {
    const metric = await registry.getSingleMetric('penstock_telemetry_dropped_total')!.get();
    return metric.values.find(({ labels }) => labels['signal'] === signal)?.value ?? 0;
  };
  return { telemetry: telemetry as Telemetry, registry, faults, dropped };
};

/** Begins and ends as many spans as asked for. */
const trace = ({ tracing }: Telemetry, count: number): void => {
  for (let each = 0; each < count; each += 1)
    tracing.begin('route', { kind: 'consumer', parent: PARENT })!.end();
};

const line = (msg: string): string => `${JSON.stringify({ level: 'info', msg })}\n`;

it('is not there without an endpoint, or when it is disabled', async () => {
  expect((await open({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).telemetry).toBeUndefined();
  expect((await open({ OTEL_SDK_DISABLED: 'true' })).telemetry).toBeUndefined();
});

it('exports spans, log lines and the metrics of the registry', async () => {
  const { telemetry, registry } = await open();
  new Counter({ name: 'events_total', help: 'Events', registers: [registry] }).inc(7);
  const links = [`00-${TRACE_ID}-${'1'.repeat(16)}-01`, 'no traceparent'];
  const attributes = { 'penstock.pipelines': ['a@1', 'b@2'], 'penstock.attempt': 2 };
  const span = telemetry.tracing.begin('deliver', {
    kind: 'client',
    parent: PARENT,
    links,
    attributes,
  })!;
  expect(span.traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-(?!${SPAN_ID})[\\da-f]{16}-01$`));
  span.end({
    name: 'deliver http',
    attributes: { 'http.response.status_code': 503 },
    error: '503',
  });
  telemetry.takeLine(line('routed'));
  await telemetry.close();
  expect(receiver.spans).toMatchObject([
    {
      name: 'deliver http',
      kind: 3,
      traceId: TRACE_ID,
      parentSpanId: SPAN_ID,
      links: [{ traceId: TRACE_ID, spanId: '1'.repeat(16) }],
      attributes: { ...attributes, 'http.response.status_code': 503, 'error.type': '503' },
      status: { code: 2 },
      resource: { 'service.name': 'event-router', 'service.namespace': 'penstock' },
    },
  ]);
  expect(receiver.logs).toMatchObject([{ body: 'routed', severityText: 'info' }]);
  expect(receiver.metrics.find(({ name }) => name === 'events_total')).toMatchObject({
    sum: { isMonotonic: true, dataPoints: [{ asDouble: 7 }] },
    resource: { 'service.name': 'event-router' },
  });
});

it('begins a trace where the parent is none', async () => {
  const { telemetry } = await open({ OTEL_TRACES_SAMPLER_ARG: '1' });
  telemetry.tracing.begin('HTTP', { kind: 'server', parent: 'none' })!.end();
  await telemetry.close();
  const [span] = receiver.spans;
  expect(span?.parentSpanId ?? '').toBe('');
  expect(span?.traceId).toMatch(/^[\da-f]{32}$/);
});

it('makes no span that is not sampled', async () => {
  const { telemetry } = await open({ OTEL_TRACES_SAMPLER_ARG: '0' });
  const unsampled = `00-${TRACE_ID}-${SPAN_ID}-00`;
  for (const parent of [undefined, unsampled])
    expect(telemetry.tracing.begin('HTTP', { kind: 'server', parent })).toBeUndefined();
  await telemetry.close();
  expect(receiver.spans).toEqual([]);
});

it('sends its headers, and describes itself as it is told to', async () => {
  const { telemetry } = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.endpoint}/base/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s3cret%2C1,x-tenant=t',
    OTEL_SERVICE_NAME: 'shop-router',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
  });
  trace(telemetry, 1);
  telemetry.takeLine(line('one'));
  await telemetry.close();
  const paths = receiver.requests.map(({ path }) => path);
  expect(paths.sort()).toEqual(['/base/v1/logs', '/base/v1/metrics', '/base/v1/traces']);
  for (const { headers } of receiver.requests)
    expect(headers).toMatchObject({ 'api-key': 's3cret,1', 'x-tenant': 't' });
  expect(receiver.spans[0]?.resource).toMatchObject({
    'service.name': 'shop-router',
    'deployment.environment.name': 'test',
  });
});

it('drops and counts what does not fit while the receiver hangs, and waits for it no longer than 2 s', async () => {
  receiver.mood = 'hangs';
  const { telemetry, dropped } = await open();
  trace(telemetry, 5_000);
  for (let each = 0; each < 5_000; each += 1) telemetry.takeLine(line('one'));
  expect(await dropped('traces')).toBe(5_000 - 2_048);
  expect(await dropped('logs')).toBe(5_000 - 2_048);
  const ended = await Promise.race([telemetry.close(), sleep(CLOSE_MS, 'late', { ref: false })]);
  expect(ended).toBeUndefined();
});

it('reports exports that fail, with neither its headers nor the answer', async () => {
  receiver.mood = 'refuses';
  const { telemetry, faults, dropped } = await open({
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s3cret',
  });
  trace(telemetry, 3);
  telemetry.takeLine(line('one'));
  await telemetry.close();
  expect(await dropped('traces')).toBe(3);
  expect(await dropped('logs')).toBe(1);
  expect(await dropped('metrics')).toBe(1);
  expect(faults).toHaveLength(3);
  expect(new Set(faults.map(({ what }) => what)).size).toBe(1);
  for (const { err, level } of faults) {
    expect(level).toBe('warn');
    expect(err).toMatchObject({ name: 'ExportFailed', message: '400' });
    const { stack } = err as Error;
    expect(`${stack ?? ''} ${JSON.stringify(err)}`).not.toContain('s3cret');
  }
});
