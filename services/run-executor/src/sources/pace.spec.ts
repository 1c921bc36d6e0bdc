import { Pace } from './pace';

const { signal } = new AbortController();

/** A clock that stands still but for those who wait. */
const standing = () => {
  let now = 1_000;
  return {
    advance: (ms: number) => (now += ms),
    nowMs: () => now,
    wait: (ms: number) => {
      now += ms;
      return Promise.resolve();
    },
  };
};

/** Gives places as executors share them. */
const places = (nowMs: () => number) => {
  let nextMs = -Infinity;
  return (rate: number): Promise<number> => {
    const atMs = Math.max(nowMs(), nextMs);
    nextMs = atMs + 1_000 / rate;
    return Promise.resolve(atMs - nowMs());
  };
};

it.each([
  [undefined, 0],
  [1, 9_000],
  [8, 1_125],
  [20, 450],
])('ten calls of two readings at %s a second take %d ms', async (rate, ms) => {
  const clock = standing();
  const reserve = places(clock.nowMs);
  const paces = [new Pace(rate, reserve, clock), new Pace(rate, reserve, clock)];
  for (let n = 0; n < 5; n += 1) for (const pace of paces) await pace.turn(signal);
  expect(clock.nowMs() - 1_000).toBeCloseTo(ms);
});

it('asks for another place when it was late for its own', async () => {
  const clock = standing();
  const reserved: number[] = [];
  const reserve = (): Promise<number> => {
    reserved.push(clock.nowMs());
    return Promise.resolve(500);
  };
  let lateMs = 1_000;
  const wait = (ms: number): Promise<void> => {
    clock.advance(ms + lateMs);
    return Promise.resolve();
  };
  await new Pace(1, reserve, { ...clock, wait }).turn(signal);
  expect(reserved).toEqual([1_000]);
  lateMs = 1_001;
  const late = new Pace(1, reserve, {
    ...clock,
    wait: async (ms) => {
      await wait(ms);
      lateMs = 0;
    },
  });
  await late.turn(signal);
  expect(reserved).toEqual([1_000, 2_500, 4_001]);
});

it('ends with its signal, and with the store', async () => {
  const controller = new AbortController();
  const pace = new Pace(1, () => Promise.resolve(60_000));
  const waiting = pace.turn(controller.signal);
  controller.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow('given up');
  await expect(new Pace(1, () => Promise.reject(new Error('away'))).turn(signal)).rejects.toThrow(
    'away',
  );
});
