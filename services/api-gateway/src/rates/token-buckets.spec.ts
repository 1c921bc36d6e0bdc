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
