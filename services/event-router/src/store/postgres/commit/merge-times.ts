/** Adds a row of `delivery_times` to the one that is there: the end of an INSERT. */
export const MERGE_TIMES = `
  ON CONFLICT (pipeline, minute, partition)
  DO UPDATE SET retries = delivery_times.retries + excluded.retries,
                (buckets, counts) = (
    SELECT coalesce(array_agg(bucket ORDER BY bucket), '{}'), coalesce(array_agg(count ORDER BY bucket), '{}')
      FROM (SELECT bucket, sum(count)::bigint AS count
              FROM (SELECT * FROM unnest(delivery_times.buckets, delivery_times.counts)
                    UNION ALL
                    SELECT * FROM unnest(excluded.buckets, excluded.counts)) both_rows (bucket, count)
             GROUP BY bucket) merged)`;
