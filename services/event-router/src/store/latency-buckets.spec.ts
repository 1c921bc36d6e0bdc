import fc from 'fast-check';
import { boundOf, bucketOf, latencyOf, percentile } from './latency-buckets';

const DAY_MS = 86_400_000;
const latency = fc.integer({ min: 1, max: 60 * DAY_MS });

it('stands for a latency with an error of at most 5 %', () => {
  fc.assert(
    fc.property(latency, (ms) => {
      expect(Math.abs(latencyOf(bucketOf(ms)) - ms) / ms).toBeLessThanOrEqual(0.05);
    }),
  );
});

it('puts a latency below the bound of its bucket and above that of the one before', () => {
  fc.assert(
    fc.property(latency, (ms) => {
      const bucket = bucketOf(ms);
      expect(ms).toBeLessThanOrEqual(boundOf(bucket) * (1 + 1e-9));
      if (bucket > 0) expect(ms).toBeGreaterThan(boundOf(bucket - 1) * (1 - 1e-9));
    }),
  );
});

it.each([
  [-5, 0],
  [0, 0],
  [1, 0],
  [1.05, 1],
  [Number.MAX_SAFE_INTEGER, 276],
])('puts %d ms into bucket %d', (ms, bucket) => {
  expect(bucketOf(ms)).toBe(bucket);
});

const counted = (all: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const ms of all) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
  return counts;
};

it('tells any percentile with an error of at most 5 %', () => {
  const share = fc.constantFrom(0, 0.5, 0.95, 0.99, 1);
  fc.assert(
    fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), share, (all, wanted) => {
      const sorted = [...all].sort((one, other) => one - other);
      const exact = sorted[Math.max(1, Math.ceil(wanted * all.length)) - 1]!;
      const told = percentile(counted(all), wanted)!;
      expect(Math.abs(told - exact) / exact).toBeLessThanOrEqual(0.05);
    }),
  );
});

it('tells no percentile of nothing', () => {
  expect(percentile(new Map(), 0.5)).toBeUndefined();
  expect(percentile(new Map([[3, 0]]), 0.5)).toBeUndefined();
});
