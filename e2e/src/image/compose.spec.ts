import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { PENSTOCK_VARIABLES, readConfig } from '@penstock/runtime';
import { textOf } from './checkout';
import { ownServices, readCompose, variablesOf } from './compose-file';
import { OperatorShell } from './operator-shell';

jest.setTimeout(240_000);

const WRITTEN = ['PENSTOCK_SECRET', 'PENSTOCK_BOOTSTRAP_KEY', 'POSTGRES_PASSWORD'];

let shell: OperatorShell;
let folder: string;

beforeEach(() => {
  shell = new OperatorShell();
  ({ folder } = shell);
});

afterEach(() => {
  shell.remove();
});

const inShell = (script: string) => shell.run(script);

const envFile = (): string => shell.text('.env');

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

  it('gives a service no variable that it does not know', () => {
    const services = ownServices(readCompose(text, needed));
    const names = services.flatMap(([, { environment = {} }]) => Object.keys(environment));
    expect(names.filter((name) => !(name in PENSTOCK_VARIABLES))).toEqual([]);
  });
});
