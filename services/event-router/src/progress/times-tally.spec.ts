import type { PipelineId } from '@penstock/contracts';
import { bucketOf } from '../store/latency-buckets';
import { TimesTally } from './times-tally';

const pipeline = 'pipeline' as PipelineId;
const other = 'other' as PipelineId;

const written = (tally: TimesTally) =>
  [...tally.written].map(([key, { retries, latencies }]) => [key, retries, [...latencies]]);

it('counts latencies of deliveries and retries of all endings, by pipeline and minute', () => {
  const tally = new TimesTally();
  tally.add({ pipeline, attempts: 1, atMs: 0, tookMs: 40 });
  tally.add({ pipeline, attempts: 3, atMs: 59_999, tookMs: 40 });
  tally.add({ pipeline, attempts: 2, atMs: 59_999, tookMs: 9_000 });
  tally.add({ pipeline, attempts: 5, atMs: 60_000, tookMs: undefined });
  tally.add({ pipeline: other, attempts: 1, atMs: 0, tookMs: 0 });
  tally.add({ pipeline, attempts: 2, atMs: 1, tookMs: undefined });
  expect(written(tally)).toEqual([
    [
      'pipeline|0',
      4,
      [
        [bucketOf(40), 2],
        [bucketOf(9_000), 1],
      ],
    ],
    ['pipeline|1', 4, []],
    ['other|0', 0, [[0, 1]]],
  ]);
});

it('adds nothing for a delivery that was not made and had no retry', () => {
  const tally = new TimesTally();
  tally.add({ pipeline, attempts: 0, atMs: 0, tookMs: undefined });
  tally.add({ pipeline, attempts: 1, atMs: 0, tookMs: undefined });
  expect(written(tally)).toEqual([]);
});
