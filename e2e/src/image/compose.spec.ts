import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseEnv } from 'node:util';
import { PENSTOCK_VARIABLES, readConfig } from '@penstock/runtime';
import { DistributedInstallation } from '../harness/distributed-installation';
import { layOut, ROOT, textOf } from './checkout';
import { ownServices, readCompose, variablesOf } from './compose-file';

jest.setTimeout(240_000);

const WRITTEN = ['PENSTOCK_SECRET', 'PENSTOCK_BOOTSTRAP_KEY', 'POSTGRES_PASSWORD'];

/** Stands for Docker: notes its arguments and environment. */
const DOCKER = `#!/bin/sh
echo "$@" >> docker.args
env > docker.env
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-compose-'));
  for (const name of ['package.json', 'scripts', 'docker-compose.yml'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'docker'), DOCKER, { mode: 0o755 });
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs commands in the folder as a shell of an operator does. */
const inShell = (script: string) => {
  const { PENSTOCK_CONNECTORS: _, ...env } = process.env;
  const path = `${join(folder, 'bin')}${delimiter}${String(process.env['PATH'])}`;
  return spawnSync('sh', ['-e', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...env, PATH: path },
    timeout: 90_000,
  });
};

const envFile = (): string => readFileSync(join(folder, '.env'), 'utf8');

describe('npm run compose:env', () => {
  it('writes what the compose file needs, valid and for the owner alone', () => {
    expect(inShell('umask 000; npm run compose:env').status).toBe(0);
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    const env = parseEnv(envFile()) as Record<string, string>;
    expect(Object.keys(env).sort()).toEqual([...WRITTEN].sort());
    expect(new Set(Object.values(env)).size).toBe(WRITTEN.length);
    const required = [...variablesOf(textOf('docker-compose.yml'))].filter(([, needed]) => needed);
    expect(required.map(([name]) => name).sort()).toEqual([...WRITTEN].sort());
    for (const [, { environment = {} }] of ownServices(
      readCompose(textOf('docker-compose.yml'), env),
    ))
      expect(readConfig(environment, PENSTOCK_VARIABLES, [], { folder })).toMatchObject({
        PENSTOCK_SECRET: env['PENSTOCK_SECRET'],
        DATABASE_URL: expect.stringContaining(String(env['POSTGRES_PASSWORD'])) as unknown,
      });
  });

  it('writes other values each time', () => {
    inShell('npm run compose:env');
    const first = envFile();
    rmSync(join(folder, '.env'));
    inShell('npm run compose:env');
    for (const line of envFile()
      .split('\n')
      .filter((each) => each.includes('=')))
      expect(first).not.toContain(line);
  });

  it('never changes a file that exists, and says what is missing in it', () => {
    inShell('npm run compose:env');
    const whole = envFile();
    expect(inShell('npm run compose:env').status).toBe(0);
    expect(envFile()).toBe(whole);
    writeFileSync(join(folder, '.env'), 'PENSTOCK_SECRET=mine\nPOSTGRES_PASSWORD=\n');
    const { status, stderr } = inShell('npm run compose:env');
    expect(status).toBe(1);
    expect(stderr).toContain('add PENSTOCK_BOOTSTRAP_KEY, POSTGRES_PASSWORD to it');
    expect(envFile()).toBe('PENSTOCK_SECRET=mine\nPOSTGRES_PASSWORD=\n');
  });

  it('takes over the secret with which npm start has made data', () => {
    mkdirSync(join(folder, '.penstock'));
    writeFileSync(join(folder, '.penstock', 'secret'), `${'s'.repeat(43)}\n`);
    inShell('npm run compose:env');
    expect(parseEnv(envFile())['PENSTOCK_SECRET']).toBe('s'.repeat(43));
  });

  it.each(['data', '$PWD/data'])('takes it over from %s too, where PENSTOCK_DATA is', (data) => {
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'secret'), `${'s'.repeat(32)}\n`);
    inShell(`export PENSTOCK_DATA="${data}"; npm run compose:env`);
    expect(parseEnv(envFile())['PENSTOCK_SECRET']).toBe('s'.repeat(32));
  });

  it('takes over no secret that is short, and names its file', () => {
    mkdirSync(join(folder, '.penstock'));
    writeFileSync(join(folder, '.penstock', 'secret'), 's'.repeat(31));
    const { status, stderr } = inShell('npm run compose:env');
    expect(status).not.toBe(0);
    expect(stderr).toContain(`${join('.penstock', 'secret')} is not a whole secret`);
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });
});

describe('docker-compose.yml', () => {
  const text = textOf('docker-compose.yml');
  const needed = Object.fromEntries(WRITTEN.map((name) => [name, 'x'.repeat(40)]));

  it.each(WRITTEN)('does not start without %s, and says what to do', (name) => {
    expect(() => readCompose(text, { ...needed, [name]: '' })).toThrow(
      `${name}: run npm run compose:env`,
    );
  });

  it('takes no variable that is not documented', () => {
    const documented = textOf('docs/configuration.md');
    const names = [...variablesOf(text).keys()];
    expect(names).toContain('PENSTOCK_PORT');
    expect(names.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });

  it('starts what the image has, read-only and without rights', () => {
    const target = join(folder, 'image');
    layOut(ROOT, target);
    const services = ownServices(readCompose(text, needed));
    expect(services).toHaveLength(4);
    for (const [name, { command, read_only: isReadOnly, cap_drop: dropped }] of services) {
      expect(command).toEqual([name]);
      expect(existsSync(join(target, 'services', name, 'dist', 'main.js'))).toBe(true);
      expect([isReadOnly, dropped]).toEqual([true, ['ALL']]);
    }
  });

  it('gives a service no variable that it does not know', () => {
    const services = ownServices(readCompose(text, needed));
    const names = services.flatMap(([, { environment = {} }]) => Object.keys(environment));
    expect(names.filter((name) => !(name in PENSTOCK_VARIABLES))).toEqual([]);
  });
});

/** The blocks of commands in the README's section about containers. */
const roadOf = (readme: string): readonly string[] => {
  const section = /^### As containers$(.*?)^## /ms.exec(readme)?.[1] ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
};

describe("the README's road to the first event", () => {
  it('is what its commands say, on an installation of several processes', async () => {
    const [preparation = '', ...road] = roadOf(textOf('README.md'));
    expect(road).toHaveLength(2);
    expect(inShell(preparation).status).toBe(0);
    const given = readFileSync(join(folder, 'docker.args'), 'utf8').trim();
    expect(given).toMatch(/^compose up /);
    const env = {
      ...parseEnv(readFileSync(join(folder, 'docker.env'), 'utf8')),
      ...parseEnv(envFile()),
    };
    const services = ownServices(readCompose(textOf('docker-compose.yml'), env));
    const environment = Object.assign({}, ...services.map((each) => each[1].environment)) as Record<
      string,
      string
    >;
    // The servers of this test stand for those of the compose file.
    const { DATABASE_URL: _, KAFKA_BROKERS: __, ...own } = environment;
    const installation = await DistributedInstallation.start(own);
    try {
      const commands = road.join('').replaceAll('http://127.0.0.1:8080', installation.address);
      const { status, stdout, stderr } = inShell(commands);
      process.stdout.write(status === 0 ? '' : stderr);
      expect(status).toBe(0);
      expect(stdout).toContain('{"accepted":1}');
      const received = stdout.slice(stdout.lastIndexOf('{"users"'));
      expect(JSON.parse(received)).toMatchObject({
        events: [{ type: 'send_event_with_no_schema', userId: 'Ada' }],
      });
    } finally {
      await installation.destroy();
    }
  });
});
