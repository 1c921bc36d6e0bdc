import { chmodSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ApiClient } from '../harness/api-client';
import { DistributedInstallation } from '../harness/distributed-installation';
import { showingOutput } from '../harness/installation';
import { Receiver } from '../harness/receiver';
import { until } from '../harness/until';
import { filesBelow, layOut, ROOT, textOf } from './checkout';
import { type ReadOnly, readOnly, type User } from './read-only';

jest.setTimeout(240_000);

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

let folder: string;
let installation: DistributedInstallation;
let receivers: readonly Receiver[] = [];
let image: ReadOnly;

beforeAll(async () => {
  const parent = mkdtempSync(join(tmpdir(), 'penstock-image-'));
  chmodSync(parent, 0o755);
  folder = join(parent, 'penstock');
  layOut(ROOT, folder);
  image = readOnly(folder, userOf(textOf('Dockerfile')));
  process.stdout.write(`the image runs ${image.how}\n`);
  const env = { PATH: `${image.nodeFolder}:/usr/bin:/bin`, HOME: '/' };
  installation = await DistributedInstallation.start(env, (service) => ({
    command: image.command(service),
    workingDirectory: folder,
  }));
  receivers = await Promise.all(TRANSFORMATIONS.map(() => Receiver.open()));
});

afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await installation.destroy();
  chmodSync(folder, 0o755);
  rmSync(dirname(folder), { recursive: true, force: true, maxRetries: 3 });
});

const makePipelines = async (): Promise<string> => {
  const api = new ApiClient(installation.address, installation.apiKey);
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

it(
  'runs every service as a user who owns nothing, on a file system that cannot be written',
  showingOutput(
    () => installation,
    async () => {
      const before = stateOf(folder);
      const writeKey = await makePipelines();
      const answer = await fetch(`${installation.address}/v1/events`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${writeKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          type: 'track',
          event: 'Bought',
          userId: 'ada',
          properties: { n: 1 },
        }),
      });
      expect(answer.status).toBe(200);
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
      const stopping = installation.services.map((service) => service.stop());
      expect(await Promise.all(stopping)).toEqual([0, 0, 0, 0]);
      expect(stateOf(folder)).toEqual(before);
    },
  ),
);
