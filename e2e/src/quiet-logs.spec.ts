import { DistributedInstallation } from './harness/distributed-installation';
import { type Flow, makeFlow } from './harness/flow';
import { showingOutput } from './harness/installation';
import { loudLines } from './harness/loud-lines';
import { Receiver } from './harness/receiver';
import type { ServiceProcess } from './harness/service-process';
import { until } from './harness/until';

jest.setTimeout(240_000);

/** Time after which lines about a broker that is gone must not have come again. */
const WATCHED_MS = 15_000;

/** What a line says and the innermost cause that it names; pino appends the messages of causes to the error's. */
const kindOf = (text: string): string => {
  const { msg = text, err } = JSON.parse(text) as { msg?: string; err?: { message?: string } };
  return `${msg} ${err?.message ?? ''}`;
};

let installation: DistributedInstallation;
let receivers: readonly Receiver[];
let flows: readonly Flow[];

/** Lines that ask for attention, by the services that printed any. */
const allLoudLines = (): readonly (readonly [service: string, lines: readonly string[]])[] =>
  installation.services
    .map((service) => [service.name, loudLines(service)] as const)
    .filter(([, lines]) => lines.length > 0);

const send = async ({ writeKey }: Flow, number: number): Promise<void> => {
  const answer = await fetch(`${installation.address}/v1/events`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${writeKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      type: 'track',
      event: 'Bought',
      userId: `user-${String(number % 50)}`,
      properties: { number },
    }),
  });
  await answer.text();
  expect(answer.status).toBe(200);
};

/** Sends events to both sources and waits until each of the three destinations has received one of each. */
const eventsPass = async (): Promise<void> => {
  const before = receivers.map(({ delivered }) => delivered.length);
  for (let number = 0; number < 100; number += 1)
    await Promise.all(flows.map((flow) => send(flow, number)));
  await until('all events are delivered', () =>
    receivers.every(({ delivered }, index) => delivered.length >= (before[index] ?? 0) + 100),
  );
};

beforeAll(async () => {
  installation = await DistributedInstallation.start();
  receivers = await Promise.all([Receiver.open(), Receiver.open(), Receiver.open()]);
  flows = await Promise.all(
    receivers.map(({ url }) =>
      makeFlow(installation, {
        url,
        filter: {
          logical: 'and',
          conditions: [{ property: 'type', operator: 'is', values: ['track'] }],
        },
        mapping: 'properties',
      }),
    ),
  );
});

afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await installation.destroy();
});

const test = (title: string, body: () => Promise<void>): void => {
  it(
    title,
    showingOutput(() => installation, body),
  );
};

test('a first start on Kafka, work, and a clean stop print nothing that needs attention', async () => {
  await eventsPass();
  const endings = await Promise.all(installation.services.map((service) => service.stop()));
  expect(endings).toEqual([0, 0, 0, 0]);
  expect(allLoudLines()).toEqual([]);
});

test('a broker that is killed is reported with the cause, once, until it is back', async () => {
  await Promise.all(installation.services.map((service) => service.start()));
  await eventsPass();
  await installation.stopLog();
  const readers = installation.services.filter(({ name }) => name !== 'run-executor');
  const reports = (service: ServiceProcess): boolean =>
    loudLines(service).some((text) => text.includes('ECONNREFUSED'));
  await until('every service reports the broker', () => readers.every(reports));
  await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
  for (const service of readers) {
    const lines = loudLines(service).map(kindOf);
    expect(lines).toEqual([...new Set(lines)]);
  }
  await installation.resumeLog();
  await until('the gateway accepts events', async () =>
    send(flows[0]!, 0).then(
      () => true,
      () => false,
    ),
  );
  await eventsPass();
});
