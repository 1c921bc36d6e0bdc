import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from './harness/api-client';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { showingOutput } from './harness/installation';
import { loudLines } from './harness/loud-lines';
import { SingleProcess } from './harness/single-process';
import { until } from './harness/until';
import { CRASH_PLAN, failing } from './router-faults/crash-plan';
import { Load } from './router-faults/load';
import { MayRepeat } from './router-faults/may-repeat';
import { say } from './router-faults/say';

jest.setTimeout(300_000);

const EVENTS = 400;

const RECOVER_KEY = 'standalone/dist/recover-key-main.js';
const AUDIT_VERIFY = 'pipeline-service/dist/audit-verify-main.js';

/** What a process has loaded of OpenTelemetry, written when it ends. */
const LOADED = `process.on('exit', () => {
  const loaded = Object.keys(require.cache).filter((name) => name.includes('@opentelemetry/'));
  require('node:fs').writeFileSync(process.env.LOADED_IN + '/' + process.pid, loaded.join('\\n'));
});`;

let folder: string;
let installation: SingleProcess;
let load: Load;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-loaded-'));
  const program = join(folder, 'loaded.cjs');
  writeFileSync(program, LOADED);
  installation = await SingleProcess.start({
    NODE_OPTIONS: `--require=${program}`,
    LOADED_IN: folder,
  });
  load = await Load.open(installation, { eventsPerSecond: 200 }, CRASH_PLAN);
});

afterAll(async () => {
  await installation.destroy();
  await load.close();
  rmSync(folder, { recursive: true, force: true });
});

const test = (title: string, work: () => Promise<void>): void => {
  it(
    title,
    showingOutput(() => installation, work),
  );
};

const accepted = (count: number): Promise<void> =>
  until(
    () => `${String(load.accepted.length)} of ${String(count)} events are accepted`,
    () => load.accepted.length >= count,
  );

test('delivers everything once and in order when its database freezes, crashes, and the process is killed', async () => {
  const { fanOut, sender } = load;
  const { embedded } = installation;
  const mayRepeat = new MayRepeat(fanOut.ledger, installation.databaseUrl);
  fanOut.server('failing').behaviour = failing;
  const sent = sender.send(EVENTS);
  await accepted(EVENTS / 4);
  const thaw = await mayRepeat.during(() => Promise.resolve(installation.freezeDatabase()));
  await until('events are refused', () => (sender.refused.get('503') ?? 0) > 0);
  thaw();
  await accepted(EVENTS / 2);
  await mayRepeat.during(() => embedded.penstock.kill9());
  await embedded.penstock.start();
  fanOut.calm();
  await accepted((3 * EVENTS) / 4);
  await mayRepeat.during(() => embedded.restartLog());
  await sent;
  const wrong = await load.wrong();
  say('one process', { ...load.facts, atMost: mayRepeat.count });
  expect(wrong).toEqual([]);
  expect(fanOut.ledger.repeated).toBeLessThanOrEqual(mayRepeat.count);
});

/** @returns the key that the program has printed. */
const keyIn = (output: string): string => {
  const [, key] = /^API key, shown this once: (pk_\w{40})$/m.exec(output) ?? [];
  if (key === undefined) throw new Error(`no key: ${output}`);
  return key;
};

const RECOVERED = { type: 'ApiKeyCreated', actor: 'recovered on the machine' };

/** Waits until the key opens what only an admin may read, and returns the newest fact about keys. */
const newestKeyFact = async (key: string): Promise<unknown> => {
  const { address } = installation;
  let status = 0;
  await until(
    () => `the key works: ${String(status)}`,
    async () => {
      const headers = { Authorization: `Bearer ${key}` };
      const answer = await fetch(`${address}/v1/keys`, { headers });
      await answer.arrayBuffer();
      return (status = answer.status) === 200;
    },
  );
  const api = new ApiClient(address, key);
  const found = await api.call('GET', '/v1/audit?type=ApiKeyCreated&limit=1');
  return (found as { facts: readonly unknown[] }).facts[0];
};

test('starts its database again when that is killed, delivers everything, and ends when it is killed for the third time', async () => {
  const { fanOut, sender } = load;
  const { penstock } = installation.embedded;
  const mayRepeat = new MayRepeat(fanOut.ledger, installation.databaseUrl);
  const from = penstock.output.length;
  const repeatedBefore = fanOut.ledger.repeated;
  const before = load.accepted.length;
  const killDatabase = (): Promise<void> => {
    process.kill(installation.embedded.databasePid!, 'SIGKILL');
    return Promise.resolve();
  };
  const sent = sender.send(EVENTS);
  for (const part of [1, 2]) {
    await accepted(before + (part * EVENTS) / 3);
    await mayRepeat.during(killDatabase);
  }
  await sent;
  expect(await load.wrong()).toEqual([]);
  expect(fanOut.ledger.repeated - repeatedBefore).toBeLessThanOrEqual(mayRepeat.count);
  await killDatabase();
  expect(await penstock.exit()).toBe(1);
  const lines = penstock.output.slice(from).split('\n');
  say('database was killed', {
    lines: lines.length,
    loud: lines.filter((line) => /"level":"(error|warn)"/.test(line)).length,
  });
  expect(lines.filter((line) => line.includes('is started again'))).toHaveLength(2);
  expect(lines.filter((line) => line.includes('"level":"fatal"'))).toEqual([
    expect.stringContaining('has ended 3 times within ten minutes'),
  ]);
  await penstock.start();
});

test('stops quietly while it works; gets a new admin key while it is stopped, and another beside it when it runs', async () => {
  const { penstock } = installation.embedded;
  const from = penstock.output.length;
  const sent = load.sender.send(EVENTS / 10);
  await accepted(load.accepted.length + 10);
  expect(await penstock.stop()).toBe(0);
  expect(loudLines(penstock, from)).toEqual([]);

  const stopped = await penstock.run(RECOVER_KEY);
  expect(stopped.exitCode).toBe(0);
  expect(installation.embedded.databasePid).toBeUndefined();
  await penstock.start();
  expect(await newestKeyFact(keyIn(stopped.output))).toMatchObject(RECOVERED);

  const beside = await penstock.run(RECOVER_KEY);
  expect(beside.exitCode).toBe(0);
  expect(keyIn(beside.output)).not.toBe(keyIn(stopped.output));
  expect(await newestKeyFact(keyIn(beside.output))).toMatchObject(RECOVERED);
  const verified = await penstock.run(AUDIT_VERIFY);
  expect(verified.output).toContain('no difference');
  expect(penstock.output).not.toContain(keyIn(beside.output));
  await sent;
  expect(await load.wrong()).toEqual([]);
});

test('stops on Ctrl-C without a drain, also while a browser keeps connections open', async () => {
  const { penstock, address } = installation.embedded;
  const browser = new Agent({ keepAlive: true });
  await new Promise<void>((resolve, reject) => {
    get(`${address}/healthz`, { agent: browser }, (answer) => {
      answer.resume().once('end', resolve);
    }).once('error', reject);
  });
  const from = penstock.output.length;
  expect(await penstock.interrupt()).toBe(0);
  browser.destroy();
  expect(loudLines(penstock, from)).toEqual([]);
  expect(penstock.output.slice(from)).not.toContain('requests are still accepted');
});

test('has loaded nothing of the SDK of OpenTelemetry, which is not configured', () => {
  const reports = readdirSync(folder).filter((name) => /^\d+$/.test(name));
  // Of the two stops and the programs; a process that is killed writes none.
  expect(reports.length).toBeGreaterThanOrEqual(4);
  const loaded = reports.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean),
  );
  expect(loaded.some((name) => name.includes('/@opentelemetry/api/'))).toBe(true);
  // prom-client loads the interfaces, which do nothing by themselves.
  expect(loaded.filter((name) => !name.includes('/@opentelemetry/api/'))).toEqual([]);
  return Promise.resolve();
});

it('is not created by the recovery of a key, which says what is missing', async () => {
  const empty = await EmbeddedInstallation.create();
  try {
    const { exitCode, output } = await empty.penstock.run(RECOVER_KEY);
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^keys:recover: \S+ has no secret, [^\n]*set PENSTOCK_DATA [^\n]*\n$/);
    expect(empty.databasePid).toBeUndefined();
  } finally {
    await empty.destroy();
  }
});
