/**
 * Latencies are counted in buckets whose bounds grow by this ratio: bucket n holds what is above 1.1^(n-1) and at most
 * 1.1^n milliseconds, bucket 0 what took at most one. So {@link latencyOf} is wrong by at most 4.8 % of what was measured.
 */
const GROWTH = 1.1;

const LOG_GROWTH = Math.log(GROWTH);

/** About ten years: keeps a clock that is wrong from making further buckets. */
const MAX_BUCKET = 276;

/** The bucket of a latency in milliseconds, from 0 to 276. One below a millisecond, or negative, is in bucket 0. */
export const bucketOf = (ms: number): number =>
  ms <= 1 ? 0 : Math.min(MAX_BUCKET, Math.ceil(Math.log(ms) / LOG_GROWTH));

/** The latency that stands for all in the bucket, in milliseconds: equally far from both bounds, as a ratio. */
export const latencyOf = (bucket: number): number =>
  bucket === 0 ? 1 : (2 * GROWTH ** bucket) / (GROWTH + 1);

/** The highest latency of the bucket, in milliseconds. */
export const boundOf = (bucket: number): number => GROWTH ** bucket;

/**
 * The latency, in milliseconds, that the given share of the counted ones does not exceed; undefined when none is counted.
 *
 * @param counts bucket → number of latencies.
 * @param share from 0 to 1.
 */
export const percentile = (
  counts: ReadonlyMap<number, number>,
  share: number,
): number | undefined => {
  const buckets = [...counts]
    .filter(([, count]) => count > 0)
    .sort(([one], [other]) => one - other);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  let rest = Math.max(1, Math.ceil(share * total));
  for (const [bucket, count] of buckets) {
    rest -= count;
    if (rest <= 0) return latencyOf(bucket);
  }
  return undefined;
};
