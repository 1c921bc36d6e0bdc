import { Pace } from './pace';
import type { TokensGiven, TokensWanted } from './shared-rates';

const { signal } = new AbortController();

/** Rates without bursts by a clock that stands still but for those who wait. */
const standing = () => {
  let now = 1_000;
  const due = new Map<string, number>();
  return {
    nowMs: () => now,
    take: ({ rate, ratePerSecond }: TokensWanted): Promise<TokensGiven> => {
      const dueMs = due.get(rate) ?? 0;
      if (now < dueMs) return Promise.resolve({ count: 0, waitMs: dueMs - now });
      due.set(rate, now + 1_000 / ratePerSecond);
      return Promise.resolve({ count: 1, waitMs: 0 });
    },
    wait: (ms: number) => {
      now += ms;
      return Promise.resolve();
    },
  };
};

const at = (...rates: readonly number[]) =>
  rates.map((ratePerSecond) => ({ rate: String(ratePerSecond), ratePerSecond, burst: 1 }));

it.each([
  [[], 0],
  [[1], 9_000],
  [[8], 1_125],
  [[20], 450],
  [[4, 8], 2_250],
  [[8, 4], 2_250],
])('ten requests of two users of rates of %j a second take %d ms', async (rates, ms) => {
  const { take, wait, nowMs } = standing();
  const paces = [new Pace(at(...rates), take, wait), new Pace(at(...rates), take, wait)];
  for (let n = 0; n < 5; n += 1) for (const pace of paces) await pace.turn(signal);
  expect(nowMs() - 1_000).toBeCloseTo(ms);
});

it('ends with its signal, and with the database', async () => {
  const controller = new AbortController();
  const pace = new Pace(at(1), () => Promise.resolve({ count: 0, waitMs: 60_000 }));
  const waiting = pace.turn(controller.signal);
  controller.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow('given up');
  const away = new Pace(at(1), () => Promise.reject(new Error('away')));
  await expect(away.turn(signal)).rejects.toThrow('away');
});
