/**
 * The number of events by pipeline and ending, and the number of open deliveries.
 *
 * A new event is opted out, matched or filtered for an enabled pipeline; the first two are counted by pipeline, so that
 * the filtered ones are the difference. Every other ending counted by pipeline follows a match, except for counts of
 * version 1 (`plain`), which are taken as they are.
 */
export const PIPELINE_COUNTS = `
CREATE VIEW penstock_router.pipeline_counts AS
WITH based AS (
  SELECT member.pipeline, member.enabled, base.kind, sum(base.count) AS count
    FROM (SELECT audience, kind, sum(count) AS count FROM penstock_router.bases GROUP BY audience, kind) base
    JOIN (SELECT id, unnest(enabled) AS pipeline, true AS enabled FROM penstock_router.audiences
          UNION ALL
          SELECT id, unnest(disabled), false FROM penstock_router.audiences) member ON member.id = base.audience
   GROUP BY member.pipeline, member.enabled, base.kind
), counted AS (
  SELECT pipeline, state, code, plain, sum(count) AS count, state = 'Matched' AS is_match,
         state = 'Filtered' AND code = 'OptedOut' AS is_opted_out
    FROM penstock_router.counters GROUP BY pipeline, state, code, plain
), counts (pipeline, state, code, count) AS (
  SELECT pipeline, state, code, count FROM counted WHERE NOT is_match
  UNION ALL
  SELECT pipeline, 'Filtered', '', -count FROM counted WHERE is_match OR (is_opted_out AND NOT plain)
  UNION ALL
  SELECT pipeline, 'Open', '', CASE WHEN is_match THEN count ELSE -count END
    FROM counted WHERE NOT plain AND NOT is_opted_out
  UNION ALL
  SELECT pipeline,
         CASE WHEN kind IN ('Duplicate', 'DifferentBody') THEN 'Duplicate' ELSE 'Filtered' END,
         CASE kind WHEN 'New' THEN CASE WHEN enabled THEN '' ELSE 'Disabled' END
                   WHEN 'Duplicate' THEN '' ELSE kind END,
         count
    FROM based
)
SELECT pipeline, state, code, sum(count)::bigint AS count
  FROM counts GROUP BY pipeline, state, code HAVING sum(count) <> 0;
`;
