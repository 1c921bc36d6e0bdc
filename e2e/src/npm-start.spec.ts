import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { freePorts } from '@penstock/local-kafka';
import { copyRepository } from './harness/checkout';
import { Command } from './harness/command';
import { commandsNaming } from './harness/processes';
import { until } from './harness/until';

jest.setTimeout(600_000);

/** The long form installs the packages, as the first start after a clone does. */
const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';
const PATIENCE_MS = 300_000;

const repository = copyRepository(!IS_LONG);
const { folder } = repository;
/** Data folders: that of all tests, and that of a first start whose output nobody reads. */
const [data, unread] = [join(folder, '.penstock'), join(folder, 'unread')] as const;
let env: Record<string, string>;
/** The first start after a clone. */
let first: Command;

const running: Command[] = [];

const run = (command: string, ...args: string[]): Command => {
  const started = new Command(command, args, { cwd: folder, env, scratch: folder });
  running.push(started);
  return started;
};

const killRunning = async (): Promise<void> => {
  for (const command of running.splice(0)) {
    command.signal('SIGKILL');
    await command.ended();
  }
};

beforeAll(async () => {
  const [port, ops] = await freePorts(2);
  env = { PENSTOCK_PORT: String(port), PENSTOCK_OPS_PORT: String(ops) };
  first = await startAndStop();
});

afterEach(killRunning);

afterAll(async () => {
  await killRunning();
  for (const dataDir of [data, unread])
    if (existsSync(join(dataDir, 'postgres')))
      await (await startEmbeddedPostgres({ dataDir })).stop();
  repository.remove();
});

/** Starts it with `npm start`, and stops it with Ctrl-C when it is ready. */
const startAndStop = async (): Promise<Command> => {
  const start = run('npm', 'start');
  await until(
    'it is ready, or has ended',
    () => start.output.includes('Penstock is ready') || start.hasEnded,
    PATIENCE_MS,
  );
  start.signal('SIGINT');
  await start.ended();
  return start;
};

const service = join(folder, 'services', 'run-executor');
const dist = (name: string): string => join(service, 'dist', name);
const compiledAt = (): number => statSync(dist('main.js')).mtimeMs;

/** A clean stop prints that it is closing, and no warning. */
const STOP = /"signal":"SIGINT","msg":"closing"\}$/;

it('shows the progress of a first start, and compiles nothing and is brief at the second', async () => {
  expect(first.output).toMatch(
    /Compiling \d+ files[^]*Creating the database[^]*Starting the services[^]*API key +pk_/,
  );
  expect(first.output.includes('Installing the packages')).toBe(IS_LONG);
  expect(first.lines.length).toBeLessThanOrEqual(40);
  const compiled = compiledAt();

  const second = await startAndStop();
  expect(second.output).toContain('Penstock is ready');
  expect(second.output).not.toMatch(/Compiling|Installing|Creating/);
  expect(compiledAt()).toBe(compiled);
  const [stop, ...printed] = [...second.lines].reverse();
  expect(stop).toMatch(STOP);
  expect(printed.join('\n').trim().split('\n').length).toBeLessThanOrEqual(12);
  expect(second.output).not.toMatch(/"level":"(warn|error|fatal)"|Warning|npm (warn|error)/i);
});

it('compiles what has changed, and removes what no longer exists in the sources', async () => {
  const build = async (): Promise<Command> => {
    const command = run('npm', 'run', 'build');
    expect(await command.ended()).toBe(0);
    return command;
  };
  await build();
  const others = statSync(join(folder, 'libs', 'schema', 'dist', 'index.js')).mtimeMs;
  const extra = join(service, 'src', 'extra.ts');
  writeFileSync(extra, 'export const extra: number = 1;\n');
  expect((await build()).output).toMatch(/Compiling \d+ files of 1 projects/);
  expect(existsSync(dist('extra.js'))).toBe(true);
  rmSync(extra);
  expect((await build()).output).toContain('of 1 projects');
  expect(existsSync(dist('extra.js'))).toBe(false);
  expect(existsSync(dist('main.js'))).toBe(true);
  writeFileSync(dist('left-over.js'), '');
  await build();
  expect(existsSync(dist('left-over.js'))).toBe(false);
  expect((await build()).output).not.toContain('Compiling');
  expect(statSync(join(folder, 'libs', 'schema', 'dist', 'index.js')).mtimeMs).toBe(others);
});

/** Runs a script of npm to its end. */
const ended = async (script: string): Promise<string> => {
  const command = run('npm', 'run', script);
  expect([await command.ended(), command.output]).toEqual([0, expect.anything()]);
  return command.output;
};

it('recovers a key and verifies the audit with the build that is there, and compiles what was never', async () => {
  await ended('build');
  const before = compiledAt();
  const extra = join(service, 'src', 'extra.ts');
  writeFileSync(extra, 'export const extra: number = 1;\n');
  // In this order: the key of a stopped installation is published at its next start.
  const [verified, recovered] = [await ended('audit:verify'), await ended('keys:recover')];
  rmSync(extra);
  expect(recovered).toMatch(/^API key, shown this once: pk_\w{40}$/m);
  expect(verified).toContain('no difference');
  expect(recovered + verified).not.toMatch(/Compiling|Installing/);
  expect([compiledAt(), existsSync(dist('extra.js'))]).toEqual([before, false]);

  rmSync(join(folder, 'services', 'standalone', 'dist'), { recursive: true });
  expect(await ended('keys:recover')).toMatch(/Compiling \d+ files of 1 projects[^]*API key/);
  expect(compiledAt()).toBe(before);
});

it('keeps what was compiled when a source has an error, and names its place', async () => {
  const before = compiledAt();
  const bad = join(service, 'src', 'bad.ts');
  writeFileSync(bad, 'export const bad = ;\n');
  const command = run('npm', 'run', 'build');
  expect(await command.ended()).toBe(1);
  rmSync(bad);
  expect(command.output).toContain('services/run-executor/src/bad.ts does not compile');
  expect(compiledAt()).toBe(before);
});

it.each(['a first', 'a later'])(
  'stops in order when nobody reads %s start any more',
  async (start) => {
    const dataDir = start === 'a first' ? unread : data;
    const piped = run('sh', '-c', `PENSTOCK_DATA=${dataDir} npm start | head -n 5`);
    await until('it has ended', () => piped.hasEnded, PATIENCE_MS);
    expect(piped.lines.length).toBeLessThanOrEqual(5);
    expect(piped.output).not.toContain('EPIPE');
    expect(commandsNaming(folder)).toEqual([]);
  },
);
