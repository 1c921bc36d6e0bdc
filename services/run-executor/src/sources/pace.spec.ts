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

it.each([
  [undefined, 0],
  [1, 9_000],
  [8, 1_125],
  [20, 450],
])('ten calls at %s a second take %d ms', async (rate, ms) => {
  const clock = standing();
  const pace = new Pace(rate, clock);
  for (let n = 0; n < 10; n += 1) await pace.turn(signal);
  expect(clock.nowMs() - 1_000).toBeCloseTo(ms);
});

it('does not make up for calls that were late', async () => {
  const clock = standing();
  const pace = new Pace(1, clock);
  await pace.turn(signal);
  clock.advance(60_000);
  const before = clock.nowMs();
  for (let n = 0; n < 3; n += 1) await pace.turn(signal);
  expect(clock.nowMs() - before).toBe(2_000);
});

it('ends with its signal', async () => {
  const controller = new AbortController();
  const pace = new Pace(0.01);
  await pace.turn(controller.signal);
  const waiting = pace.turn(controller.signal);
  controller.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow('given up');
});
