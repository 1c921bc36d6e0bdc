import { TokenBucket } from './token-bucket';

it('lets a burst of one second through, then the rate', () => {
  let nowMs = 0;
  const bucket = new TokenBucket(5, undefined, () => nowMs);
  expect([1, 2, 3, 4, 5].map(() => bucket.take())).toEqual([0, 0, 0, 0, 0]);
  expect(bucket.take()).toBe(200);
  nowMs = 199;
  expect(bucket.take()).toBe(1);
  nowMs = 200;
  expect(bucket.take()).toBe(0);
  nowMs = 100_000;
  expect([1, 2, 3, 4, 5].map(() => bucket.take())).toEqual([0, 0, 0, 0, 0]);
  expect(bucket.take()).toBe(200);
});

it('lets as many through at once as it was told, and one at least', () => {
  const taken = (perSecond: number, burst?: number): number => {
    const bucket = new TokenBucket(perSecond, burst, () => 0);
    for (let count = 0; ; count += 1) if (bucket.take() > 0) return count;
  };
  expect([taken(46, 280), taken(46), taken(3, 1), taken(3, 0)]).toEqual([280, 46, 1, 1]);
  expect(taken(0.5)).toBe(1);
});

it('waits two seconds at a rate of one in two', () => {
  let nowMs = 0;
  const bucket = new TokenBucket(0.5, undefined, () => nowMs);
  expect([bucket.take(), bucket.take()]).toEqual([0, 2_000]);
  nowMs = 2_000;
  expect(bucket.take()).toBe(0);
});
