import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createFunctionRunner } from './create-function-runner';
import { SandboxUnavailable } from './function-errors';
import type { FunctionRunner } from './function-runner';
import { recordOf, SCHEMA } from './runner.fixture';
import { RecordFailure } from './values/record-failure';
import type { FunctionLanguage } from './values/transformation-function';

jest.setTimeout(60_000);

let runner: FunctionRunner;
beforeEach(() => {
  runner = createFunctionRunner({ timeLimitMs: 5000, spares: 0 });
});
afterEach(() => runner.close());

const PATHS = ['data', 'number', 'text'];
const run = (
  source: string,
  count: number,
  isolation = source,
  language: FunctionLanguage = 'JavaScript',
) =>
  runner.run(
    {
      isolation,
      definition: {
        language,
        source,
        preserveJSON: false,
        inPaths: PATHS,
        outPaths: PATHS,
      },
      schemas: { input: SCHEMA, output: SCHEMA },
      purpose: 'None',
    },
    Array.from({ length: count }, (_, index) => recordOf('a', index)),
  );

const IDENTITY = 'const transform = (event) => event;';
const SLOW = `const transform = async (event) => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return event;
};`;
const expected = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ text: 'a', number }));

const onLinux = process.platform === 'linux' ? describe : describe.skip;

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        const stat = readFileSync(`/proc/${child}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
      } catch {
        return false;
      }
    });

/** Pids of the sandbox processes of this process. */
const sandboxes = (): number[] =>
  childrenOf(process.pid).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/functions/sandbox/main'),
  );

onLinux('the sandbox process', () => {
  it('has no environment and no socket but its channel, and is not root', async () => {
    await run(IDENTITY, 1);
    const [pid = 0] = sandboxes();
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).not.toMatch(/^Uid:\t0\t/m);
    const listening = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .filter((line) => / 0A /.test(line))
      .map((line) => line.trim().split(/\s+/)[9]);
    const sockets = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const target = readlinkSync(`/proc/${pid}/fd/${fd}`);
      return target.startsWith('socket:[') ? [target.slice(8, -1)] : [];
    });
    expect(sockets.filter((socket) => listening.includes(socket))).toEqual([]);
  });

  it('loses no record and repeats no answer when it is killed', async () => {
    const slow = run(SLOW, 40);
    const other = run(SLOW, 40, 'other');
    await wait(1500);
    for (const pid of sandboxes()) process.kill(pid, 'SIGKILL');
    expect((await slow).records).toEqual(expected(40));
    expect((await other).records).toEqual(expected(40));
    expect((await run(IDENTITY, 2)).records).toEqual(expected(2));
  });

  it('has ended after the runner was closed', async () => {
    await run(IDENTITY, 1);
    expect(sandboxes()).not.toEqual([]);
    await runner.close();
    expect(sandboxes()).toEqual([]);
    await expect(run(IDENTITY, 1)).rejects.toThrow(SandboxUnavailable);
  });
});

it('keeps the order over batches of one function', async () => {
  const batches = await Promise.all([run(IDENTITY, 100), run(IDENTITY, 3), run(IDENTITY, 50)]);
  expect(batches.map(({ records }) => records)).toEqual([expected(100), expected(3), expected(50)]);
});

it('returns nothing for no records', async () => {
  expect(await run(IDENTITY, 0)).toEqual({ records: [], console: '' });
});

it('runs more functions than it keeps ready', async () => {
  const results = await Promise.all(
    Array.from({ length: 24 }, (_, index) => run(IDENTITY, 2, `function ${index}`)),
  );
  for (const { records } of results) expect(records).toEqual(expected(2));
});

it('keeps answers of any size from before the end of an instance, and runs no record twice', async () => {
  const large = `
let calls = 0;
const transform = (event) => {
  calls += 1;
  if (event.number === 20) for (;;);
  return { number: calls, text: 'x'.repeat(100_000) };
};`;
  const { records } = await run(large, 24);
  const numbers = records.map((record) =>
    record instanceof RecordFailure ? record.message : record['number'],
  );
  expect(numbers).toEqual([
    ...Array.from({ length: 20 }, (_, index) => index + 1),
    'JavaScript: time limit of 5 s exceeded',
    ...[1, 2, 3],
  ]);
});

it('keeps no memory of large results with new member names', async () => {
  const source = `
const transform = ({ number }) => ({ number, data: { ['a name of its own ' + number]: 'x'.repeat(1_000_000) } });`;
  await runner.close();
  // A generous limit: a busy machine takes long for so many bytes.
  runner = createFunctionRunner({ timeLimitMs: 50_000, spares: 0 });
  const { records } = await run(source, 150);
  expect(records.map((record) => (record instanceof RecordFailure ? record.message : ''))).toEqual(
    Array(150).fill(''),
  );
});

/** Seconds of a processor that a process has used; 0 when it is gone. */
const usedSeconds = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11)
      .map(Number);
    return (user + system) / 100;
  } catch {
    return 0;
  }
};

it('fails the record at which the process is lost, also when it runs alone', async () => {
  const source = `
const transform = (event) => {
  for (const untilMs = Date.now() + (event.number === 3 ? 99_000 : 0); Date.now() < untilMs;);
  return { number: event.number };
};`;
  await runner.close();
  runner = createFunctionRunner({ timeLimitMs: 100_000, spares: 0 });
  const running = run(source, 6);
  const killed = new Set<number>();
  const killer = setInterval(() => {
    // To start takes less: it has begun with the record.
    const found = sandboxes().find((pid) => !killed.has(pid) && usedSeconds(pid) > 3);
    if (found === undefined || killed.size === 2) return;
    killed.add(found);
    process.kill(found, 'SIGKILL');
  }, 50);
  const { records } = await running.finally(() => clearInterval(killer));
  expect(killed.size).toBe(2);
  expect(records).toEqual([
    { number: 0 },
    { number: 1 },
    { number: 2 },
    expect.objectContaining({ message: 'JavaScript: process ended' }) as unknown,
    { number: 4 },
    { number: 5 },
  ]);
  // Sandboxes give way to others: on a busy machine their few seconds of a processor take a minute.
}, 240_000);

it('fails no record in a separate process when an instance ends after it has answered', async () => {
  const source = `
import os, sys, time
def leave(frame, event, function):
  if event == 'c_return' and function is os.read: os._exit(0)
def transform(event):
  time.sleep(0.5)
  if event['number'] == 2: sys.setprofile(leave)
  return event`;
  await run('def transform(event): return event', 1, 'warm', 'Python');
  const running = run(source, 4, source, 'Python');
  await wait(300);
  for (const pid of sandboxes()) process.kill(pid, 'SIGKILL');
  expect((await running).records).toEqual(expected(4));
});
