/** The rows of delivery times, as the harness of the contract and the model show them. */
export const READ_TIMES = `
SELECT pipeline, minute, sum(retries)::int AS retries,
       (SELECT coalesce(json_agg(json_build_array(bucket, count) ORDER BY bucket), '[]')
          FROM (SELECT bucket, sum(count) AS count
                  FROM penstock_router.delivery_times same, unnest(same.buckets, same.counts) AS of_row (bucket, count)
                 WHERE same.pipeline = t.pipeline AND same.minute = t.minute GROUP BY bucket) counted) AS latencies
  FROM penstock_router.delivery_times t GROUP BY pipeline, minute ORDER BY pipeline, minute`;
