import { TokenBuckets } from './token-bucket';

const MS = 1_000_000;

it('lets in what the burst holds, then what has been earned', () => {
  const buckets = new TokenBuckets({ perSecond: 2, burst: 3 });
  for (const _ of [1, 2, 3]) expect(buckets.take('w', 1, MS)).toBeUndefined();
  expect(buckets.take('w', 1, MS)).toEqual({
    'Retry-After': '1',
    'RateLimit-Limit': '3',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '1',
  });
  expect(buckets.take('w', 1, MS + 500)).toBeUndefined();
  expect(buckets.take('w', 1, MS + 500)).toBeDefined();
  expect(buckets.take('other', 1, MS)).toBeUndefined();
});

it('lets in a batch greater than the burst, which has to be earned after', () => {
  const buckets = new TokenBuckets({ perSecond: 10, burst: 10 });
  expect(buckets.take('w', 110, MS)).toBeUndefined();
  expect(buckets.take('w', 1, MS)).toMatchObject({ 'Retry-After': '11' });
  expect(buckets.take('w', 1, MS + 10_000)).toBeDefined();
  expect(buckets.take('w', 1, MS + 10_200)).toBeUndefined();
});

it('gives nothing for a clock that is set back', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 1 });
  expect(buckets.take('w', 1, MS)).toBeUndefined();
  expect(buckets.take('w', 1, MS - 60_000)).toBeDefined();
});
