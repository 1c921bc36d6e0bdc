import { TokenBucket } from './token-bucket';

it('lets a burst of one second through, then the rate', () => {
  let nowMs = 0;
  const bucket = new TokenBucket(5, () => nowMs);
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
