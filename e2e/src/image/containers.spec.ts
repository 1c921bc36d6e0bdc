import { chmodSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { ApiClient } from '../harness/api-client';
import { DistributedInstallation } from '../harness/distributed-installation';
import { type Flow, makeFlow } from '../harness/flow';
import { showingOutput } from '../harness/installation';
import { loudLines } from '../harness/loud-lines';
import { documentedMetrics, exposedMetrics } from '../harness/metrics-page';
import { Receiver } from '../harness/receiver';
import type { ServiceProcess } from '../harness/service-process';
import { until } from '../harness/until';
import { filesBelow, layOut, ROOT, textOf } from './checkout';
import { ownServices, readCompose } from './compose-file';
import { OperatorShell } from './operator-shell';
import { type ReadOnly, readOnly, type User } from './read-only';

// The tests follow each other on one installation: of the image, on Kafka, started as the README and the compose file say.
jest.setTimeout(600_000);

/** The user of the Dockerfile. */
const userOf = (dockerfile: string): User => {
  const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
};

/** What would differ if anything had been written. */
const stateOf = (folder: string): readonly string[] =>
  filesBelow(folder).map((path) => {
    const { mtimeMs, size, mode } = lstatSync(join(folder, path));
    return `${path} ${String(mtimeMs)} ${String(size)} ${String(mode)}`;
  });

/** The blocks of commands in the README's section about containers. */
const roadOf = (readme: string): readonly string[] => {
  const section = /^### As containers$(.*?)^## /ms.exec(readme)?.[1] ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
};

const OUT_SCHEMA = {
  kind: 'object',
  properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
};

const functionOf = (language: string, source: string): object => ({
  function: {
    source,
    language,
    preserveJSON: false,
    inPaths: ['properties'],
    outPaths: ['properties'],
  },
});

/** One transformation of each kind, so that everything that they read at run time is needed. */
const TRANSFORMATIONS: readonly object[] = [
  { mapping: { properties: 'properties' } },
  functionOf('JavaScript', 'async function transform(event) { return event; }'),
  functionOf('Python', 'def transform(event):\n    return event\n'),
];

const [preparation = '', ...road] = roadOf(textOf('README.md'));

let shell: OperatorShell;
let folder: string;
/** The files of the image before anything is started. */
let before: readonly string[];
let image: ReadOnly;
let installation: DistributedInstallation;
let apiKey: string;
/** Receives what {@link flow} delivers. */
let receiver: Receiver;
let flow: Flow;
/** One for each of {@link TRANSFORMATIONS}. */
let receivers: readonly Receiver[] = [];

/** The variables of all services, as Docker Compose would set them after the README's first commands. */
const composedVariables = (): Record<string, string> => {
  // The receivers of this spec are on this machine.
  const egress = { PENSTOCK_EGRESS_ALLOW: '127.0.0.0/8' };
  const prepared = shell.run(preparation, egress);
  expect([prepared.status, prepared.stderr]).toEqual([0, expect.anything()]);
  expect(shell.text('docker.args').trim()).toMatch(/^compose up /);
  const env = { ...parseEnv(shell.text('docker.env')), ...parseEnv(shell.text('.env')) };
  const services = ownServices(readCompose(textOf('docker-compose.yml'), env));
  const all = Object.assign({}, ...services.map((each) => each[1].environment)) as Record<
    string,
    string
  >;
  // The servers of this spec stand for those of the compose file.
  const { DATABASE_URL: _, KAFKA_BROKERS: __, ...own } = all;
  return own;
};

beforeAll(async () => {
  shell = new OperatorShell();
  const variables = composedVariables();
  apiKey = String(variables['PENSTOCK_BOOTSTRAP_KEY']);
  const parent = mkdtempSync(join(tmpdir(), 'penstock-image-'));
  chmodSync(parent, 0o755);
  folder = join(parent, 'penstock');
  layOut(ROOT, folder);
  image = readOnly(folder, userOf(textOf('Dockerfile')));
  before = stateOf(folder);
  process.stdout.write(`the image runs ${image.how}\n`);
  installation = await DistributedInstallation.start(
    { ...variables, PATH: `${image.nodeFolder}:/usr/bin:/bin`, HOME: '/' },
    (service) => ({ command: image.command(service), workingDirectory: folder }),
  );
  receivers = await Promise.all(TRANSFORMATIONS.map(() => Receiver.open()));
  receiver = await Receiver.open();
});

afterAll(async () => {
  await Promise.all([receiver, ...receivers].map((each) => each.close()));
  await installation.destroy();
  shell.remove();
  chmodSync(folder, 0o755);
  rmSync(dirname(folder), { recursive: true, force: true, maxRetries: 3 });
});

const test = (title: string, body: () => Promise<void> | void): void => {
  it(
    title,
    showingOutput(
      () => installation,
      async () => {
        await body();
      },
    ),
  );
};

/** Lines that ask for attention, by the services that printed any. */
const allLoudLines = (
  from: ReadonlyMap<ServiceProcess, number> = new Map(),
): readonly (readonly [service: string, lines: readonly string[]])[] =>
  installation.services
    .map((service) => [service.name, loudLines(service, from.get(service))] as const)
    .filter(([, lines]) => lines.length > 0);

const outputLengths = (): ReadonlyMap<ServiceProcess, number> =>
  new Map(installation.services.map((service) => [service, service.output.length]));

test("the README's commands lead to a delivered event", () => {
  expect(road).toHaveLength(2);
  const commands = road.join('').replaceAll('http://127.0.0.1:8080', installation.address);
  const { status, stdout, stderr } = shell.run(commands);
  process.stdout.write(status === 0 ? '' : stderr);
  expect(status).toBe(0);
  expect(stdout).toContain('{"accepted":1}');
  const received = stdout.slice(stdout.lastIndexOf('{"users"'));
  expect(JSON.parse(received)).toMatchObject({
    events: [{ type: 'send_event_with_no_schema', userId: 'Ada' }],
  });
});

/** @returns the status of the answer. */
const send = async (writeKey: string, n: number): Promise<number> => {
  const answer = await fetch(`${installation.address}/v1/events`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${writeKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{ type: 'track', event: 'Bought', userId: `user-${String(n % 5)}` },
      properties: { n },
    }),
  });
  await answer.text();
  return answer.status;
};

/** Sends these events, each until it is accepted, and waits until all were delivered. */
const eventsPass = async (from: number, to: number): Promise<void> => {
  for (let n = from; n < to; n += 1)
    await until(
      `event ${String(n)} is accepted`,
      async () => (await send(flow.writeKey, n)) === 200,
    );
  await until('all events are delivered', () => {
    const numbers = new Set(receiver.delivered.map(({ body }) => body['n']));
    return numbers.size === to;
  });
};

test('a first start on Kafka, and work, print nothing that needs attention', async () => {
  const filter = {
    logical: 'and',
    conditions: [{ property: 'type', operator: 'is', values: ['track'] }],
  };
  flow = await makeFlow(
    { address: installation.address, apiKey },
    { url: receiver.url, filter, mapping: 'properties' },
  );
  await eventsPass(0, 50);
  expect(allLoudLines()).toEqual([]);
});

test('the page of metrics names those of every service, with their labels', async () => {
  const page = documentedMetrics();
  expect([...page.keys()].sort()).toEqual(installation.services.map(({ name }) => name).sort());
  for (const service of installation.services) {
    const named = page.get(service.name) ?? [];
    const exposed = await exposedMetrics(service);
    expect([service.name, named.map(({ name }) => name)]).toEqual([
      service.name,
      exposed.map(({ name }) => name),
    ]);
    for (const [index, { name, labels }] of exposed.entries())
      expect([name, named[index]?.labels]).toEqual([name, expect.arrayContaining([...labels])]);
  }
});

/** A line about something that has failed more than once. */
interface Report {
  readonly msg?: string;
  readonly err?: { readonly message?: string };
  /** How many like it were not printed: those of the last minute. */
  readonly alike?: number;
}

/** What lines say and the innermost cause that they name; pino appends the messages of causes to the error's. */
const kindsOf = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => {
    const { msg = line, err, alike } = JSON.parse(line) as Report;
    return alike === undefined ? [`${msg} ${err?.message ?? ''}`] : [];
  });

test('a broker that is killed is reported with the cause, once, until it is back', async () => {
  await installation.stopLog();
  const readers = installation.services.filter(({ name }) => name !== 'run-executor');
  const reports = (service: ServiceProcess): boolean =>
    loudLines(service).some((text) => text.includes('ECONNREFUSED'));
  await until('every service reports the broker', () => readers.every(reports));
  await installation.resumeLog();
  await eventsPass(50, 70);
  for (const service of readers) {
    const kinds = kindsOf(loudLines(service));
    expect(kinds).toEqual([...new Set(kinds)]);
  }
});

const makePipelines = async (): Promise<string> => {
  const api = new ApiClient(installation.address, apiKey);
  const destinations: string[] = [];
  for (const [index, transformation] of TRANSFORMATIONS.entries()) {
    const connection = await api.createConnection({
      name: `Receiver ${String(index)}`,
      role: 'Destination',
      connector: 'http',
      settings: { url: receivers[index]!.url },
    });
    destinations.push(connection);
    await api.createPipeline({
      name: 'To the receiver',
      connection,
      eventType: 'send_values',
      enabled: true,
      transformation,
      outSchema: OUT_SCHEMA,
    });
  }
  const source = await api.createConnection({
    name: 'Shop',
    role: 'Source',
    connector: 'nodejs',
    settings: {},
    linkedConnections: destinations,
  });
  return api.writeKeyOf(source);
};

const get = async (path: string): Promise<number> =>
  (await fetch(`${installation.address}${path}`)).status;

test('every service works as a user who owns nothing, on a file system that cannot be written', async () => {
  const writeKey = await makePipelines();
  expect(await send(writeKey, 1)).toBe(200);
  await until('each destination has the event', () =>
    receivers.every(({ delivered }) => delivered.length > 0),
  );
  for (const { delivered } of receivers)
    expect(delivered.map(({ body }) => body)).toEqual([{ n: 1 }]);
  expect(await get('/v1/openapi.json')).toBe(200);
  expect(await get('/v1/docs')).toBe(200);
  const recovered = await installation.configuration.runCommand(image.command('keys-recover'));
  expect(recovered.output).toMatch(/^API key, shown this once: pk_\w{40}$/m);
  const audit = await installation.configuration.runCommand(image.command('audit-verify'));
  expect([audit.exitCode, audit.output]).toEqual([
    0,
    expect.stringContaining('no difference') as string,
  ]);
});

test('a clean stop prints nothing that needs attention, and no file of the image was written', async () => {
  const lengths = outputLengths();
  const stopping = installation.services.map((service) => service.stop());
  expect(await Promise.all(stopping)).toEqual([0, 0, 0, 0]);
  expect(allLoudLines(lengths)).toEqual([]);
  expect(stateOf(folder)).toEqual(before);
});
