import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ApiClient } from './harness/api-client';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { showingOutput } from './harness/installation';
import { sized } from './router-faults/sizes';
import { installSchemathesis } from './schemathesis/environment';

jest.setTimeout(900_000);

const CONFIG = join(__dirname, 'schemathesis', 'config.toml');

/** The part of the output that summarises the results. */
const SUMMARY = /^=+ (?:WARNINGS|SUMMARY) =+$[^]*/m;

let program: string;
let installation: EmbeddedInstallation;

beforeAll(async () => {
  program = await installSchemathesis();
  installation = await EmbeddedInstallation.start({ PENSTOCK_FILES_ROOT: __dirname });
});

afterAll(() => installation.destroy());

/** Creates the objects whose ids the configuration takes from variables. */
const prepare = async (): Promise<Record<string, string>> => {
  const { address, apiKey } = installation;
  const api = new ApiClient(address, apiKey);
  const workspace = (await api.call('GET', '/v1/workspaces/current')) as { id: string };
  const [destination, spareDestination, application, source, spare, storage] = await Promise.all([
    api.createConnection({ name: 'Events', role: 'Destination', connector: 'dummy', settings: {} }),
    api.createConnection({
      name: 'Spare events',
      role: 'Destination',
      connector: 'dummy',
      settings: {},
    }),
    api.createConnection({ name: 'Users', role: 'Source', connector: 'dummy', settings: {} }),
    api.createConnection({ name: 'Shop', role: 'Source', connector: 'nodejs', settings: {} }),
    api.createConnection({ name: 'Spare', role: 'Source', connector: 'nodejs', settings: {} }),
    api.createConnection({ name: 'Files', role: 'Source', connector: 'filesystem', settings: {} }),
  ]);
  const pipelineOf = (name: string): Promise<string> =>
    api.createPipeline({
      name,
      connection: destination,
      eventType: 'send_event_with_no_schema',
      enabled: true,
    });
  return {
    PENSTOCK_API_KEY: apiKey,
    PENSTOCK_WORKSPACE: workspace.id,
    PENSTOCK_WRITE_KEY: await api.writeKeyOf(source),
    PENSTOCK_SOURCE: source,
    PENSTOCK_DESTINATION: destination,
    PENSTOCK_SPARE_DESTINATION: spareDestination,
    PENSTOCK_APPLICATION: application,
    PENSTOCK_STORAGE: storage,
    PENSTOCK_SPARE_CONNECTION: spare,
    PENSTOCK_PIPELINE: await pipelineOf('Without values'),
    PENSTOCK_SPARE_PIPELINE: await pipelineOf('Spare'),
  };
};

/** Requests that are generated for each operation in each phase; the long form tries more. */
const EXAMPLES = sized(1, 30);

/**
 * Arguments of each run. Requests that follow each other, and every limit of every member, are tried in the long form only: of
 * requests with a body there are some twenty thousand, and of one that has a schema in its query nearly as many as of all others
 * without a body.
 */
const SCOPES: readonly (readonly string[])[] = sized(
  [
    ['--phases', 'examples,fuzzing'],
    [
      ...['--phases', 'coverage', '--include-method', 'GET', '--include-method', 'DELETE'],
      ...['--exclude-operation-id', 'listApplicationUsers'],
    ],
  ],
  [[]],
);

const run = async (variables: Record<string, string>, scope: readonly string[]) => {
  const document = `${installation.address}/v1/openapi.json`;
  const examples = ['--max-examples', String(EXAMPLES)];
  const given = ['--config-file', CONFIG, 'run', document, ...examples, ...scope];
  const child = spawn(program, given, {
    cwd: installation.folder,
    env: { PATH: process.env['PATH'], HOME: installation.folder, NO_COLOR: '1', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, output };
};

it.each(SCOPES.map((scope) => ({ scope, phases: scope[1] ?? 'all' })))(
  'answers every generated request as documented, in phases: $phases',
  ({ scope }) =>
    showingOutput(
      () => installation,
      async () => {
        const { exitCode, output } = await run(await prepare(), scope);
        const summary = SUMMARY.exec(output)?.[0];
        process.stdout.write(exitCode === 0 && summary !== undefined ? `${summary}\n` : output);
        expect({ exitCode, isSummed: summary !== undefined }).toEqual({
          exitCode: 0,
          isSummed: true,
        });
      },
    )(),
);
