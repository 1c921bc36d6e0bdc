import { StillClock } from '../time/still-clock.fixture';
import { Circuits } from './circuits';
import { Pauses } from './pauses';

const OVERDUE = { cause: 'time' } as const;

const circuits = () => {
  const clock = new StillClock();
  const pauses = new Pauses(clock);
  const all = new Circuits(clock, pauses);
  const fail = (times: number, name = 'a'): void => {
    for (let time = 0; time < times; time += 1) all.record(name, OVERDUE);
  };
  /** Starts a pause and returns its length in milliseconds, 0 for none. */
  const pause = (name = 'a'): number => {
    const before = clock.delays.length;
    void all.pause(name);
    return clock.delays[before] ?? 0;
  };
  return { clock, pauses, all, fail, pause };
};

it('does not pause a function that has timed out twice in a row', () => {
  const { fail, pause } = circuits();
  fail(2);
  expect(pause()).toBe(0);
});

it('pauses from the third time-out in a row, twice as long each time, up to 30 s', () => {
  const { fail, pause } = circuits();
  fail(2);
  const pauses = Array.from({ length: 8 }, () => {
    fail(1);
    return pause();
  });
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

it('measures the pause from the last time-out, and ends it on time', async () => {
  const { clock, all, fail } = circuits();
  fail(3);
  await clock.advance(400);
  let mayBegin = false;
  const pause = all.pause('a').then(() => (mayBegin = true));
  await clock.advance(599);
  expect(mayBegin).toBe(false);
  await clock.advance(1);
  await pause;
  expect(mayBegin).toBe(true);
});

it('is closed by a turn that ends by itself', () => {
  const { all, fail, pause } = circuits();
  fail(5);
  all.record('a', {});
  expect(pause()).toBe(0);
  fail(2);
  expect(pause()).toBe(0);
});

it.each(['memory', 'ended'] as const)('ignores an end by %s', (cause) => {
  const { all, fail, pause } = circuits();
  fail(2);
  all.record('a', { cause });
  fail(1);
  expect(pause()).toBe(1_000);
});

it('is separate for each function', () => {
  const { fail, pause } = circuits();
  fail(3, 'a');
  fail(2, 'b');
  expect([pause('a'), pause('b')]).toEqual([1_000, 0]);
});

it('ends a pause when its signal is aborted, and all pauses on close', async () => {
  const { clock, pauses, all, fail } = circuits();
  fail(3);
  const controller = new AbortController();
  const unwanted = all.pause('a', controller.signal);
  const wanted = all.pause('a');
  controller.abort(new Error('nobody waits'));
  await expect(unwanted).rejects.toThrow('nobody waits');
  await expect(all.pause('a', controller.signal)).rejects.toThrow('nobody waits');
  pauses.close();
  await wanted;
  expect(clock.delays).toEqual([]);
});

it('considers a function proven after a turn that has ended by itself', () => {
  const { all, fail } = circuits();
  expect(all.isProven('a')).toBe(false);
  all.record('a', {});
  expect([all.isProven('a'), all.isProven('b')]).toEqual([true, false]);
  fail(1);
  expect(all.isProven('a')).toBe(false);
  all.record('a', {});
  all.record('a', { cause: 'memory' });
  expect(all.isProven('a')).toBe(false);
});

it('remembers the latest ten thousand proven functions', () => {
  const { all } = circuits();
  for (let index = 0; index <= 10_000; index += 1) all.record(`function ${String(index)}`, {});
  expect(all.isProven('function 0')).toBe(false);
  expect(all.isProven('function 1')).toBe(true);
});

it('remembers the latest ten thousand circuits', () => {
  const { fail, pause } = circuits();
  for (let index = 0; index <= 10_000; index += 1) fail(3, `function ${String(index)}`);
  expect(pause('function 0')).toBe(0);
  expect(pause('function 1')).toBe(1_000);
});

it('is open from the third time-out in a row until a turn ends by itself', () => {
  const { all, fail } = circuits();
  expect(all.stateOf('a')).toBe('unknown');
  fail(2);
  expect(all.stateOf('a')).toBe('unknown');
  fail(1);
  expect(all.stateOf('a')).toBe('open');
  all.record('a', { cause: 'memory' });
  expect(all.stateOf('a')).toBe('open');
  all.record('a', {});
  expect(all.stateOf('a')).toBe('closed');
  fail(1);
  expect(all.stateOf('a')).toBe('unknown');
});
