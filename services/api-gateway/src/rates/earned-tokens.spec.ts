import { TokenBuckets } from './token-buckets';

const MS = 1_000_000;

it('a clock that is set back takes nothing away, and tokens are earned from then on', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 10 });
  expect(buckets.take('w', 5, MS)).toMatchObject({ isLetIn: true, remaining: 5 });
  const backMs = MS - 60_000;
  expect(buckets.take('w', 1, backMs)).toMatchObject({ isLetIn: true, remaining: 4 });
  expect(buckets.take('w', 1, backMs + 2_000)).toMatchObject({ isLetIn: true, remaining: 5 });
});

it('nobody has more than the burst after a pause, whichever buckets were looked at meanwhile', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 3 });
  const owners = Array.from({ length: 10 }, (_, at) => `w${String(at)}`);
  for (const owner of owners)
    expect(buckets.take(owner, 1, MS)).toMatchObject({ isLetIn: true, remaining: 2 });
  for (const owner of owners)
    expect(buckets.take(owner, 1, MS + 60_000)).toMatchObject({ isLetIn: true, remaining: 2 });
});
