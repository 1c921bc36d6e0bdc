import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createFunctionRunner, type FunctionRunnerOptions } from './create-function-runner';
import type { FunctionBatch, FunctionRunner } from './function-runner';
import { recordOf, SCHEMA } from './runner.fixture';
import { RecordFailure } from './values/record-failure';

jest.setTimeout(140_000);

const MIB = 1024 * 1024;
const PATHS = ['data', 'number', 'text'];
const ENDLESS = 'const transform = () => { for (;;); };';
const IDENTITY = 'const transform = (event) => event;';

let runner: FunctionRunner;
const start = (options: FunctionRunnerOptions): void => {
  runner = createFunctionRunner({ spares: 0, ...options });
};
afterEach(() => runner.close());

const batchOf = (
  isolation: string,
  source: string,
  {
    language = 'JavaScript',
    once = false,
  }: Partial<Pick<FunctionBatch, 'once'>> & {
    language?: 'JavaScript' | 'Python';
  } = {},
): FunctionBatch => ({
  isolation,
  definition: { language, source, preserveJSON: false, inPaths: PATHS, outPaths: PATHS },
  schemas: { input: SCHEMA, output: SCHEMA },
  purpose: 'None',
  once,
});

const records = (count: number) =>
  Array.from({ length: count }, (_, index) => recordOf('a', index));
const expected = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ text: 'a', number }));

/** Starts sixty endless previews of one workspace; counts those that have ended. */
const flood = (signal: AbortSignal) => {
  let ended = 0;
  const all = Array.from({ length: 60 }, (_, index) =>
    runner
      .run(batchOf(`flood/preview ${index}`, ENDLESS, { once: true }), records(1), { signal })
      .finally(() => (ended += 1)),
  );
  const settled = Promise.allSettled(all);
  return { ended: () => ended, settled };
};

/** Waits until the condition holds, for at most 30 s. */
const eventually = async (isSo: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 600 && !isSo(); tries += 1) await wait(50);
};

describe('turns', () => {
  it('are given to other workspaces while one has sixty endless functions', async () => {
    start({ timeLimitMs: 400 });
    await runner.run(batchOf('calm/warm@1', IDENTITY), records(1));
    const controller = new AbortController();
    const { ended, settled } = flood(controller.signal);
    await wait(200);
    const calm = ['calm/a@1', 'calm/b@1', 'other/c@1'].map(async (isolation) => {
      for (let batch = 0; batch < 5; batch += 1) {
        const result = await runner.run(batchOf(isolation, IDENTITY), records(20));
        expect(result.records).toEqual(expected(20));
      }
    });
    await Promise.all(calm);
    const endedMeanwhile = ended();
    expect(endedMeanwhile).toBeLessThan(20);
    await eventually(() => ended() > endedMeanwhile + 2);
    expect(ended()).toBeGreaterThan(endedMeanwhile + 2);
    controller.abort(new Error('nobody waits'));
    await settled;
    expect(ended()).toBe(60);
  });

  it('are given to the pipelines of a workspace while it tries sixty endless functions', async () => {
    start({ timeLimitMs: 400 });
    const controller = new AbortController();
    const { ended, settled } = flood(controller.signal);
    await wait(200);
    const { records: results } = await runner.run(batchOf('flood/p@1', IDENTITY), records(20));
    expect(results).toEqual(expected(20));
    expect(ended()).toBeLessThan(20);
    controller.abort(new Error('nobody waits'));
    await settled;
  });
});

const onLinux = process.platform === 'linux' ? describe : describe.skip;

const statOf = (pid: number): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const sandboxes = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return (
          Number(statOf(pid)[1]) === process.pid && command.includes('/functions/sandbox/main')
        );
      } catch {
        return false;
      }
    });

const threads = (): number =>
  sandboxes().reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/task`).length, 0);

/** Number of threads once it has not changed for half a second. */
const threadsAtRest = async (): Promise<number> => {
  let [known, looks] = [threads(), 0];
  for (; known === 0 || looks < 10; looks += 1) {
    await wait(50);
    if (threads() !== known) [known, looks] = [threads(), 0];
  }
  return known;
};

const NICE = 16;

onLinux('functions', () => {
  it('run at a lower priority than the services', async () => {
    start({});
    await runner.run(batchOf('w/p@1', IDENTITY), records(1));
    expect(sandboxes().map((pid) => statOf(pid)[NICE])).toEqual(['10']);
  });
});

onLinux('functions that are not proven', () => {
  it('run one at a time in each workspace', async () => {
    start({ timeLimitMs: 60_000, maxRunning: 4 });
    await runner.compile(batchOf('', IDENTITY).definition, { input: SCHEMA, output: SCHEMA });
    const atRest = await threadsAtRest();
    const controller = new AbortController();
    const { settled } = flood(controller.signal);
    const kept = ['flood/a@1', 'flood/b@1', 'other/c@1'].map((isolation) =>
      runner.run(batchOf(isolation, ENDLESS), records(1), { signal: controller.signal }),
    );
    await eventually(() => threads() >= atRest + 2);
    expect(await threadsAtRest()).toBe(atRest + 2);
    controller.abort(new Error('nobody waits'));
    await Promise.allSettled([settled, ...kept]);
  });
});

/** A clock that runs a hundred times as fast as the real one, and whose waits never end. */
const clockWithoutEnd = {
  nowMs: () => 100 * performance.now(),
  after: () => () => undefined,
};

describe('functions that do not end', () => {
  it.each(['flood/new@1', 'flood/proven@1'])('rest out of the way of %s', async (isolation) => {
    // A time-out takes 10 s of that clock: four of them are the most that there may be at once.
    start({ timeLimitMs: 100, maxRunning: 4, clock: clockWithoutEnd });
    const batch = batchOf(isolation, IDENTITY);
    if (isolation.includes('proven')) await runner.run(batch, records(1));
    const controller = new AbortController();
    const { ended, settled } = flood(controller.signal);
    await eventually(() => ended() > 0);
    await wait(1_500);
    expect(ended()).toBeGreaterThan(0);
    expect(ended()).toBeLessThanOrEqual(5);
    expect((await runner.run(batch, records(3))).records).toEqual(expected(3));
    controller.abort(new Error('nobody waits'));
    await settled;
  });
});

onLinux('cancellation', () => {
  it('ends a running batch, and does not start a waiting one', async () => {
    start({ timeLimitMs: 60_000 });
    await runner.compile(batchOf('', IDENTITY).definition, { input: SCHEMA, output: SCHEMA });
    const atRest = await threadsAtRest();
    const controller = new AbortController();
    const { settled, ended } = flood(controller.signal);
    await eventually(() => threads() > atRest);
    expect(threads()).toBeGreaterThan(atRest);
    controller.abort(new Error('nobody waits'));
    for (const outcome of await settled)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'nobody waits' } });
    expect(ended()).toBe(60);
    await eventually(() => threads() <= atRest);
    expect(threads()).toBeLessThanOrEqual(atRest);
    const { records: results } = await runner.run(batchOf('flood/p@1', IDENTITY), records(3));
    expect(results).toEqual(expected(3));
  });

  it('leaves other batches of the function to a new instance', async () => {
    start({ timeLimitMs: 60_000 });
    const source = 'const transform = (e) => { if (e.number === 7) for (;;); return e; };';
    const batch = batchOf('w/p@1', source);
    const endless = runner.run(batch, [recordOf('a', 7)], { signal: AbortSignal.timeout(500) });
    const next = runner.run(batch, records(3));
    await expect(endless).rejects.toMatchObject({ name: 'TimeoutError' });
    expect((await next).records).toEqual(expected(3));
  });

  it('ends a compilation', async () => {
    start({ timeLimitMs: 60_000 });
    const { definition, schemas } = batchOf('', 'for (;;);');
    const signal = AbortSignal.timeout(500);
    const compiled = runner.compile(definition, schemas, { workspace: 'w', signal });
    await expect(compiled).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

/** Allowance beyond the cap: the sandbox of a test compiles its own sources, too. */
const MARGIN_BYTES = 128 * MIB;

const peakBytes = (): number => {
  const sizes = sandboxes().map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
};

const BOMBS = {
  JavaScript:
    'const transform = () => { const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1)); };',
  Python: 'def transform(event):\n  a = []\n  while True: a.append(bytearray(b"x" * 1000000))',
} as const;

onLinux('memory', () => {
  it.each(['JavaScript', 'Python'] as const)(
    'of twelve bombs at once in %s stays below the cap, and each fails with that reason',
    async (language) => {
      const memoryCapBytes = 640 * MIB;
      start({ memoryLimitBytes: 160 * MIB, memoryCapBytes, timeLimitMs: 60_000 });
      const bombs = Array.from({ length: 12 }, async (_, index) => {
        const batch = batchOf(`w${index % 5}/p${index}@1`, BOMBS[language], { language });
        const { records: results } = await runner.run(batch, records(1));
        return results.map((result) => (result instanceof RecordFailure ? result.message : 'ok'));
      });
      const calm = await runner.run(batchOf('calm/p@1', IDENTITY), records(3));
      expect(calm.records).toEqual(expected(3));
      const outcomes = await Promise.all(bombs);
      expect(outcomes.flat()).toEqual(Array(12).fill(`${language}: memory limit exceeded`));
      expect(peakBytes()).toBeLessThan(memoryCapBytes + MARGIN_BYTES);
    },
  );

  it('of large unread results stays below the cap', async () => {
    const memoryCapBytes = 640 * MIB;
    start({ memoryLimitBytes: 160 * MIB, memoryCapBytes, timeLimitMs: 60_000 });
    const source = 'const transform = () => ({ text: "x".repeat(1e6) });';
    const all = Array.from({ length: 12 }, async (_, index) => {
      const { records: results } = await runner.run(batchOf(`w${index}/p@1`, source), records(40));
      return results.filter((result) => !(result instanceof RecordFailure)).length;
    });
    expect(await Promise.all(all)).toEqual(Array(12).fill(40));
    expect(peakBytes()).toBeLessThan(memoryCapBytes + MARGIN_BYTES);
  });

  it('suffices for one function at its limit, however small the cap', async () => {
    start({ memoryLimitBytes: 256 * MIB, memoryCapBytes: 64 * MIB });
    const source = `const transform = (event) => {
      const a = [];
      for (let i = 0; i < 200; i++) a.push(new Uint8Array(1e6).fill(1));
      return event;
    };`;
    const results = await Promise.all(
      ['v/p@1', 'w/p@1'].map((isolation) => runner.run(batchOf(isolation, source), records(1))),
    );
    for (const { records: one } of results) expect(one).toEqual(expected(1));
  });
});
