import { OtlpReceiver, type ReceivedSpan } from '@penstock/test-servers';
import { ApiClient } from './harness/api-client';
import { type Flow, makeFlow } from './harness/flow';
import { Receiver } from './harness/receiver';
import { ON_KAFKA, ON_POSTGRES } from './harness/router-forms';
import type { RouterInstallation } from './harness/router-installation';
import { until } from './harness/until';
import { formsOf } from './router-faults/sizes';

jest.setTimeout(240_000);

const PARENT_ID = '00f067aa0ba902b7';
const API_SECRET = 'a-key-of-the-collector';

const ALL = {
  logical: 'and',
  conditions: [{ property: 'type', operator: 'is', values: ['track'] }],
};

const traceId = (n: number): string => n.toString(16).padStart(32, '0');

const send = async (
  address: string,
  { writeKey }: Flow,
  user: string,
  traceparent?: string,
): Promise<void> => {
  const { status } = await fetch(`${address}/v1/events`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${writeKey}`,
      'Content-Type': 'application/json',
      ...(traceparent !== undefined && { traceparent }),
    },
    body: JSON.stringify({ type: 'track', event: 'Buy', userId: user, anonymousId: user }),
  });
  expect(status).toBe(200);
};

/** Two sources, each with three destinations; the first of each rejects what it gets. */
const fanOut = async (
  installation: RouterInstallation,
  refusing: Receiver,
  taking: Receiver,
): Promise<Flow[]> => {
  const options = { filter: ALL, mapping: 'map("event", event)' };
  const api = new ApiClient(installation.address, installation.apiKey);
  const flows: Flow[] = [];
  for (let at = 0; at < 2; at += 1) {
    const flow = await makeFlow(installation, { ...options, url: refusing.url });
    for (let more = 0; more < 2; more += 1) {
      const other = await makeFlow(installation, { ...options, url: taking.url });
      await api.link(flow.source, other.destination);
    }
    flows.push(flow);
  }
  return flows;
};

describe.each(formsOf(ON_POSTGRES, ON_KAFKA))('$form', ({ start }) => {
  let collector: OtlpReceiver;
  let installation: RouterInstallation;
  let refusing: Receiver;
  let taking: Receiver;
  let flows: Flow[];

  beforeAll(async () => {
    [collector, refusing, taking] = await Promise.all([
      OtlpReceiver.open(),
      Receiver.open(),
      Receiver.open(),
    ]);
    refusing.status = 400;
    installation = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: `api-key=${API_SECRET}`,
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    flows = await fanOut(installation, refusing, taking);
  });

  afterAll(async () => {
    await installation.destroy();
    await Promise.all([collector.close(), refusing.close(), taking.close()]);
  });

  const isOf = (n: number, span: ReceivedSpan): boolean => span.traceId === traceId(n);

  /** Without those of commits: one is for many events, and in the trace of the first that is sampled. */
  const spansOf = (n: number): readonly ReceivedSpan[] =>
    collector.spans.filter((span) => isOf(n, span) && span.name !== 'commit');

  it('shows one intake request as one trace, from the gateway to the answers of its destinations', async () => {
    const count = 12;
    for (let n = 1; n <= count; n += 1) {
      const address = installation.gateways[n % 2]!.address;
      await send(address, flows[n % 2]!, `user-${String(n)}`, `00-${traceId(n)}-${PARENT_ID}-01`);
      await send(address, flows[n % 2]!, `silent-${String(n)}`);
    }
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    await until('all spans are there', () => numbers.every((n) => spansOf(n).length === 6));
    for (const n of numbers) {
      const spans = spansOf(n);
      const [request] = spans.filter(({ name }) => name === 'HTTP POST /v1/events');
      const [append] = spans.filter(({ name }) => name === 'events append');
      const [route] = spans.filter(({ name }) => name === 'route');
      const delivers = spans.filter(({ name }) => name === 'deliver http');
      expect(request!.parentSpanId).toBe(PARENT_ID);
      expect(append!.parentSpanId).toBe(request!.spanId);
      expect(route!.parentSpanId).toBe(append!.spanId);
      expect(delivers.map(({ parentSpanId }) => parentSpanId)).toEqual(
        Array(3).fill(route!.spanId),
      );
      const statuses = delivers.map(({ attributes }) => attributes['http.response.status_code']);
      expect(statuses.sort()).toEqual([200, 200, 400]);
      expect([request, route].map((span) => span!.resource['service.name'])).toEqual([
        'api-gateway',
        'event-router',
      ]);
    }
    await until('a commit is shown', () =>
      collector.spans.some((span) => span.name === 'commit' && numbers.some((n) => isOf(n, span))),
    );
    const text = JSON.stringify(collector.spans);
    expect(text).not.toMatch(/user-|silent-|127\.0\.0\.1/);
    const routers = collector.spans
      .filter(({ name }) => name === 'route')
      .map(({ resource }) => resource['service.instance.id']);
    expect(new Set(routers).size).toBe(2);
  });

  it('shows a command and a query within the request for them', async () => {
    const ask = async (n: number, method: string, path: string, body?: object): Promise<number> => {
      const { status } = await fetch(`${installation.address}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${installation.apiKey}`,
          ...(body && { 'Content-Type': 'application/json' }),
          traceparent: `00-${traceId(n)}-${PARENT_ID}-01`,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return status;
    };
    const [{ pipeline }] = flows as [Flow];
    const status = `/v1/pipelines/${pipeline}/status`;
    expect(await ask(101, 'PUT', status, { enabled: true })).toBe(200);
    expect(await ask(102, 'GET', '/v1/pipelines/deliveries?limit=1')).toBe(200);
    await until('both spans are there', () => [101, 102].every((n) => spansOf(n).length === 2));
    for (const [n, name, service] of [
      [101, 'command SetPipelineStatus', 'pipeline-service'],
      [102, 'query ListDeliveries', 'event-router'],
    ] as const) {
      const spans = spansOf(n);
      const request = spans.find(({ resource }) => resource['service.name'] === 'api-gateway')!;
      const handled = spans.find(({ resource }) => resource['service.name'] === service)!;
      expect(handled).toMatchObject({ name, parentSpanId: request.spanId });
    }
  });

  it('goes on while the receiver hangs, and exports metrics and log lines', async () => {
    collector.mood = 'hangs';
    const before = taking.delivered.length;
    const count = 60;
    for (let n = 1; n <= count; n += 1) {
      const traceparent = `00-${traceId(1_000 + n)}-${PARENT_ID}-01`;
      await send(installation.address, flows[0]!, `u${String(n % 9)}`, traceparent);
    }
    await until('everything is delivered', () => taking.delivered.length === before + 2 * count);
    await until('the outage is reported', () =>
      installation.services.some(({ output }) => output.includes('cannot be exported')),
    );
    collector.mood = 'takes';
    for (const service of installation.services) expect(await service.stop()).toBe(0);
    const names = new Set(collector.metrics.map(({ name }) => name));
    expect(names).toContain('penstock_telemetry_dropped_total');
    expect(names).toContain('process_cpu_user_seconds_total');
    const started = collector.logs.filter(({ body }) => body === 'started');
    expect(started.map(({ resource }) => resource['service.name'])).toEqual(
      expect.arrayContaining(['api-gateway', 'pipeline-service', 'event-router']),
    );
    for (const service of installation.services) {
      expect(service.output).not.toContain(API_SECRET);
      expect(service.output.split('cannot be exported').length - 1).toBeLessThanOrEqual(1);
    }
    expect(collector.requests.every(({ headers }) => headers['api-key'] === API_SECRET)).toBe(true);
  });
});
