import { once } from 'node:events';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '@penstock/local-kafka';
import { Command } from './harness/command';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { lendCluster } from './harness/lend-cluster';

jest.setTimeout(180_000);

const ROOT = resolve(__dirname, '..', '..');
const ALL = ['standalone', 'api-gateway', 'pipeline-service', 'event-router', 'run-executor'];

/** Nothing listens on port 1. */
const ABSENT = {
  DATABASE_URL: 'postgres://penstock:hush@127.0.0.1:1/penstock',
  PENSTOCK_SECRET: 'hush'.repeat(10),
};

let folder: string;
let ports: { port: number; ops: number };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-mistakes-'));
  chmodSync(folder, 0o755);
  const [port = 0, ops = 0] = await freePorts(2);
  ports = { port, ops };
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const main = (service: string): string => join(ROOT, 'services', service, 'dist', 'main.js');

interface Start {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** A command that runs the one that follows it. */
  readonly before?: readonly string[];
  /** Default: 1. */
  readonly exitCode?: number;
}

/** Starts a program that ends by itself. @returns what it printed. */
const failedStart = async (
  path: string,
  { env = {}, args = [], before = [], exitCode = 1 }: Start = {},
) => {
  const [program, ...more] = [...before, process.execPath, ...args, path];
  const command = new Command(program, more, {
    cwd: folder,
    scratch: folder,
    env: {
      PENSTOCK_PORT: String(ports.port),
      PENSTOCK_OPS_PORT: String(ports.ops),
      PENSTOCK_DATA: join(folder, 'data'),
      ...env,
    },
  });
  expect(await command.ended()).toBe(exitCode);
  expect(command.output).not.toContain('hush');
  return command.output;
};

const listening = async (port: number): Promise<Server> => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

describe('a busy port', () => {
  it.each([
    ['PENSTOCK_PORT', 'port'],
    ['PENSTOCK_OPS_PORT', 'ops'],
  ] as const)('of %s is named, and nothing is created', async (variable, which) => {
    const server = await listening(ports[which]);
    expect(await failedStart(main('standalone'))).toBe(
      `penstock could not start: port ${String(ports[which])} on 127.0.0.1 is in use by another program: stop that one, or set ${variable} to another port\n`,
    );
    server.close();
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it.each(ALL.slice(1))('of %s is named before its database is needed', async (service) => {
    const server = await listening(ports.ops);
    expect(await failedStart(main(service), { env: ABSENT })).toBe(
      `${service} could not start: port ${String(ports.ops)} on 127.0.0.1 is in use by another program: stop that one, or set PENSTOCK_OPS_PORT to another port\n`,
    );
    server.close();
  });

  it('of PENSTOCK_PORT is named by the gateway before its database is needed', async () => {
    const server = await listening(ports.port);
    const output = await failedStart(main('api-gateway'), { env: ABSENT });
    expect(output).toMatch(
      new RegExp(
        `^api-gateway could not start: port ${String(ports.port)} on 127\\.0\\.0\\.1 [^\\n]*\\n$`,
      ),
    );
    expect(output).toContain('PENSTOCK_PORT');
    server.close();
  });
});

describe.each(ALL)('%s', (service) => {
  const name = service === 'standalone' ? 'penstock' : service;

  it('names every bad variable, and one that nobody knows with the one that was meant', async () => {
    const env = {
      ...ABSENT,
      ...{
        PENSTOCK_PROT: '8081',
        PENSTOCK_PORT: 'hush',
        LOG_LEVEL: 'hush',
        PENSTOCK_MAX_KEYS: '5',
      },
    };
    expect(await failedStart(main(service), { env })).toMatch(
      new RegExp(
        `^${name} could not start: bad configuration: PENSTOCK_PORT must be [^\\n]*; LOG_LEVEL must be [^\\n]*; PENSTOCK_PROT is not a variable of Penstock: did you mean PENSTOCK_PORT\\?\\n$`,
      ),
    );
  });

  it('names the Node that it needs', async () => {
    const older = join(folder, 'older.cjs');
    writeFileSync(older, `Object.defineProperty(process, 'version', { value: 'v18.20.8' });\n`);
    expect(await failedStart(main(service), { args: ['-r', older] })).toBe(
      'Penstock needs Node 20.19 or later, this is v18.20.8: install a newer one from https://nodejs.org\n',
    );
  });
});

it('npm start names the Node that it needs, before it installs anything', async () => {
  const older = join(folder, 'older.cjs');
  writeFileSync(older, `Object.defineProperty(process, 'version', { value: 'v18.20.8' });\n`);
  expect(await failedStart(join(ROOT, 'scripts', 'start.mjs'), { args: ['-r', older] })).toBe(
    'Penstock needs Node 20.19 or later, this is v18.20.8: install a newer one from https://nodejs.org\n',
  );
});

const NOBODY = 65_534;

/** Keeps root from everything that only its capabilities allow. */
const WITHOUT_CAPABILITIES = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--'];

/**
 * A folder in which the program that follows `before` can create nothing. Root may write everywhere and can often run the
 * programs of this checkout as no other user: it gives up its capabilities, and the folder.
 */
const foreignFolder = () => {
  const me = process.geteuid?.();
  if (me !== 0) return { data: '/usr/penstock', me, owner: 0, before: [] };
  const [setpriv = '', ...args] = WITHOUT_CAPABILITIES;
  if (spawnSync(setpriv, [...args, 'true']).status !== 0)
    throw new Error('setpriv cannot take the capabilities of root: run this spec as another user');
  chownSync(folder, NOBODY, NOBODY);
  return { data: join(folder, 'data'), me, owner: NOBODY, before: WITHOUT_CAPABILITIES };
};

describe('audit:verify', () => {
  const program = join(ROOT, 'services', 'pipeline-service', 'dist', 'audit-verify-main.js');
  const { DATABASE_URL } = ABSENT;

  it.each([
    [
      'variables that exclude each other',
      { PENSTOCK_PREFIX: 'a' },
      'bad configuration: PENSTOCK_PREFIX must not be set without KAFKA_BROKERS: the log in the database has no use for it',
    ],
    [
      'a database that cannot be reached, without needing the secret',
      { DATABASE_URL },
      'the database 127.0.0.1:1/penstock cannot be reached (connect ECONNREFUSED 127.0.0.1:1): start it, or correct DATABASE_URL',
    ],
  ])('names %s', async (_, env, line) => {
    expect(await failedStart(program, { env, exitCode: 2 })).toBe(`audit-verify: ${line}\n`);
  });

  it('names a data folder that is not there', async () => {
    expect(await failedStart(program, { exitCode: 2 })).toMatch(
      /^audit-verify: there is no data folder [^\n]*: set PENSTOCK_DATA [^\n]*\n$/,
    );
  });
});

describe('a database that cannot be reached', () => {
  it.each([
    ['standalone', 'penstock'],
    ['pipeline-service', 'pipeline-service'],
    ['api-gateway', 'api-gateway'],
  ])('is named by %s', async (service, name) => {
    expect(await failedStart(main(service), { env: ABSENT })).toBe(
      `${name} could not start: the database 127.0.0.1:1/penstock cannot be reached (connect ECONNREFUSED 127.0.0.1:1): start it, or correct DATABASE_URL\n`,
    );
  });
});

describe('a data folder', () => {
  it('of another program is refused and left as it is', async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    writeFileSync(join(data, 'letters.txt'), '');
    expect(await failedStart(main('standalone'))).toBe(
      `penstock could not start: the data folder ${data} contains files of other programs (letters.txt): set PENSTOCK_DATA to another folder\n`,
    );
  });

  it('of another user is refused, in one line that names both', async () => {
    const { data, me, owner, before } = foreignFolder();
    expect(await failedStart(main('standalone'), { env: { PENSTOCK_DATA: data }, before })).toMatch(
      new RegExp(
        `^penstock could not start: \\S+, in which the data folder is to be created, cannot be written to by this user \\(${String(me)}\\); it belongs to user ${String(owner)}: [^\\n]*set PENSTOCK_DATA to another folder\\n$`,
      ),
    );
  });

  it('whose secret is not whole is named', async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    writeFileSync(join(data, 'secret'), '');
    expect(await failedStart(main('standalone'))).toMatch(
      new RegExp(
        `^penstock could not start: ${join(data, 'secret')} is not a whole secret: [^\\n]*\\n$`,
      ),
    );
    expect(readdirSync(data)).toEqual(['secret']);
  });
});

it('a first start that fails costs no key, shows one that was created, and leaves data that only its own secret opens', async () => {
  const installation = await EmbeddedInstallation.create();
  const { penstock } = installation;
  const failed = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const { exitCode, output } = await penstock.run('standalone/dist/main.js', env);
    expect(exitCode).toBe(1);
    expect(output).not.toContain('hush');
    expect(output).not.toContain('    at ');
    return output;
  };
  try {
    const server = await listening(Number(new URL(installation.address).port));
    expect(await failed({})).not.toContain('pk_');
    server.close();

    await lendCluster(join(installation.folder, 'data'));
    // The gateway, which starts last, cannot: the key was created by the pipeline service before.
    const output = await failed({ PENSTOCK_GEOIP: '/none.mmdb' });
    expect(output).toMatch(/^API key, shown this once: pk_\w{40}$/m);
    expect(output).toMatch(/^penstock could not start: [^\n]*PENSTOCK_GEOIP[^\n]*$/m);

    expect(await failed({ PENSTOCK_SECRET: 'hush'.repeat(10) })).toMatch(
      /^penstock could not start: PENSTOCK_SECRET is not that of the installation: [^\n]*data folder$/m,
    );
    await penstock.start();
    expect(penstock.output).toContain('Penstock is ready');
    expect(penstock.output).not.toContain('pk_');
  } finally {
    await installation.destroy();
  }
});
