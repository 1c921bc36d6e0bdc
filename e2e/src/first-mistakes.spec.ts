import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '@penstock/local-kafka';
import { Command } from './harness/command';
import { EmbeddedInstallation } from './harness/embedded-installation';

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
  readonly uid?: number;
}

/** Starts a program that ends by itself. @returns what it printed; it must have ended with 1. */
const failedStart = async (program: string, { env = {}, args = [], uid }: Start = {}) => {
  const command = new Command(process.execPath, [...args, program], {
    cwd: folder,
    scratch: folder,
    env: {
      PENSTOCK_PORT: String(ports.port),
      PENSTOCK_OPS_PORT: String(ports.ops),
      PENSTOCK_DATA: join(folder, 'data'),
      ...env,
    },
    ...(uid !== undefined && { uid }),
  });
  expect(await command.ended()).toBe(1);
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

  it('costs no key: the start after it shows one', async () => {
    const installation = await EmbeddedInstallation.create();
    const server = await listening(Number(new URL(installation.address).port));
    await expect(installation.penstock.start()).rejects.toThrow('has ended');
    server.close();
    try {
      await installation.penstock.start();
      expect(installation.penstock.output).toMatch(/API key +pk_\w{40}/);
    } finally {
      await installation.destroy();
    }
  });
});

it.each([
  ['in the pipeline service', 'PENSTOCK_WAREHOUSE_URL', 'postgres://u:hush@127.0.0.1:1/w?schema=s'],
  ['in the gateway', 'PENSTOCK_GEOIP', '/none.mmdb'],
])('shows a key that was created before the start failed %s', async (_, variable, value) => {
  const output = await failedStart(main('standalone'), { env: { [variable]: value } });
  expect(output).toMatch(/^API key, shown this once: pk_\w{40}$/m);
  expect(output).toMatch(new RegExp(`^penstock could not start: [^\\n]*${variable}[^\\n]*$`, 'm'));
  expect(output).not.toContain('    at ');
});

describe.each(ALL)('%s', (service) => {
  const name = service === 'standalone' ? 'penstock' : service;

  it('names a variable that nobody knows, with the one that was meant', async () => {
    expect(await failedStart(main(service), { env: { PENSTOCK_PROT: '8081' } })).toBe(
      `${name} could not start: bad configuration: PENSTOCK_PROT is not a variable of Penstock: did you mean PENSTOCK_PORT?\n`,
    );
  });

  it('names every bad variable, and accepts those of other services', async () => {
    const env = { ...ABSENT, PENSTOCK_PORT: 'hush', LOG_LEVEL: 'hush', PENSTOCK_MAX_KEYS: '5' };
    expect(await failedStart(main(service), { env })).toMatch(
      new RegExp(
        `^${name} could not start: bad configuration: PENSTOCK_PORT must be [^\\n]*; LOG_LEVEL must be [^\\n]*\\n$`,
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
    // Only root can start a program as somebody else; for others the folders of root are those of another user.
    const uid = process.geteuid?.() === 0 ? 65_534 : undefined;
    const me = uid ?? process.geteuid?.();
    const data = uid === undefined ? '/usr/penstock' : join(folder, 'data');
    const output = await failedStart(main('standalone'), {
      env: { PENSTOCK_DATA: data },
      ...(uid !== undefined && { uid }),
    });
    expect(output).toMatch(
      new RegExp(
        `^penstock could not start: \\S+, in which the data folder is to be created, cannot be written to by this user \\(${String(me)}\\); it belongs to user 0: [^\\n]*set PENSTOCK_DATA to another folder\\n$`,
      ),
    );
  });
});
