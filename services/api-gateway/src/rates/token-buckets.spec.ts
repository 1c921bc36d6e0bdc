import fc from 'fast-check';
import { TokenBuckets } from './token-buckets';

const MS = 1_000_000;
const IN = { isLetIn: true };
const OUT = { isLetIn: false };

it('admits the burst, then what has been refilled', () => {
  const buckets = new TokenBuckets({ perSecond: 2, burst: 3 });
  for (const remaining of [2, 1, 0])
    expect(buckets.take('w', 1, MS)).toMatchObject({ isLetIn: true, remaining });
  expect(buckets.take('w', 1, MS)).toEqual({
    isLetIn: false,
    burst: 3,
    remaining: 0,
    waitSeconds: 1,
  });
  expect(buckets.take('w', 1, MS + 500)).toMatchObject(IN);
  expect(buckets.take('w', 1, MS + 500)).toMatchObject(OUT);
  expect(buckets.take('other', 1, MS)).toMatchObject(IN);
});

it('returns to an admitted caller when the burst is full again', () => {
  const buckets = new TokenBuckets({ perSecond: 2, burst: 10 });
  expect(buckets.take('w', 1, MS)).toMatchObject({ waitSeconds: 1 });
  expect(buckets.take('w', 8, MS)).toMatchObject({ waitSeconds: 5 });
});

it('admits a batch greater than the burst, which has to be refilled afterwards', () => {
  const buckets = new TokenBuckets({ perSecond: 10, burst: 10 });
  expect(buckets.take('w', 110, MS)).toMatchObject({ isLetIn: true, remaining: 0 });
  expect(buckets.take('w', 1, MS)).toMatchObject({ isLetIn: false, waitSeconds: 11 });
  expect(buckets.take('w', 1, MS + 10_000)).toMatchObject(OUT);
  expect(buckets.take('w', 1, MS + 10_200)).toMatchObject(IN);
});

it('refills nothing when the clock is set back', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 1 });
  expect(buckets.take('w', 1, MS)).toMatchObject(IN);
  expect(buckets.take('w', 1, MS - 60_000)).toMatchObject(OUT);
});

it('forgets whose bucket is full again, and nobody notices', () => {
  const rate = { perSecond: 2, burst: 3 };
  const step = fc.record({
    owner: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    cost: fc.integer({ min: 1, max: 9 }),
    passesMs: fc.integer({ min: 0, max: 3_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const buckets = new TokenBuckets(rate);
      const ofOwner = new Map(
        ['a', 'b', 'c', 'd', 'e'].map((name) => [name, { tokens: 3, atMs: 0 }]),
      );
      let nowMs = MS;
      for (const { owner, cost, passesMs } of steps) {
        nowMs += passesMs;
        const own = ofOwner.get(owner)!;
        own.tokens = Math.min(3, own.tokens + ((nowMs - own.atMs) / 1_000) * 2);
        own.atMs = nowMs;
        const isLetIn = own.tokens >= 1;
        if (isLetIn) own.tokens -= cost;
        expect(buckets.take(owner, cost, nowMs)).toMatchObject({
          isLetIn,
          remaining: Math.max(0, Math.floor(own.tokens)),
        });
      }
    }),
  );
});

it('remembers no more owners than there are who wait, whatever is owed by one of them', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 10 });
  for (const owner of ['debtor', 'another']) buckets.take(owner, 1_000_000, MS);
  for (let n = 0; n < 10_000; n += 1) buckets.take(`key ${String(n)}`, 1, MS + n * 100);
  // Each is full again after a second, in which ten others come.
  expect(buckets.size).toBeLessThan(50);
});
