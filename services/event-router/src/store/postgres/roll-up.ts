import { ADVISORY_LOCK } from '@penstock/contracts';
import { MERGE_HOURS, MERGE_MINUTES, MERGE_PARTITIONS, type RollUpStep } from '../roll-up-steps';
import { MERGE_TIMES } from './commit/merge-times';
import type { Database } from './sql/database';

/**
 * Begins a statement that moves rows: `taken` are the removed ones. Of the parameters, $1 is the tier, $2 the minute before
 * which they are due, $3 the minutes of a period, $4 the most rows. A row that a commit is changing is left for the next time;
 * one that was changed a moment ago is taken with that change.
 */
const taken = (table: string, key: readonly string[], only = 'true'): string => {
  const columns = [...key, 'minute', 'partition'];
  return `
WITH due AS (
  SELECT ${columns.join(', ')} FROM penstock_router.${table} t
   WHERE least(partition, 0) = $1 AND minute < $2 AND ${only}
   ORDER BY minute, ${key[0] ?? ''} LIMIT $4 FOR UPDATE OF t SKIP LOCKED
), taken AS (
  DELETE FROM penstock_router.${table} t USING due
   WHERE ${columns.map((name) => `t.${name} = due.${name}`).join(' AND ')}
  RETURNING t.*
)`;
};

const NUMBER_TAKEN = 'SELECT count(*)::int AS number FROM taken';

/** Adds up the counts of each key and period. @param unique the columns of the table's primary key. */
const moveCounts = (table: string, key: readonly string[], unique: readonly string[]): string => `
${taken(table, key)}, moved AS (
  INSERT INTO penstock_router.${table} (${key.join(', ')}, minute, partition, count)
  SELECT ${key.join(', ')}, minute - minute % $3, $1 - 1, sum(count)
    FROM taken GROUP BY ${key.join(', ')}, minute - minute % $3
  ON CONFLICT (${unique.join(', ')}) DO UPDATE SET count = ${table}.count + excluded.count
)
${NUMBER_TAKEN}`;

const COUNTERS = moveCounts(
  'counters',
  ['pipeline', 'state', 'step', 'code', 'plain'],
  ['pipeline', 'minute', 'state', 'step', 'code', 'partition', 'plain'],
);
const BASES = moveCounts(
  'bases',
  ['audience', 'kind'],
  ['audience', 'kind', 'minute', 'partition'],
);
const SOURCES = moveCounts(
  'source_events',
  ['source', 'kind'],
  ['source', 'minute', 'kind', 'partition'],
);

/**
 * Counts what was counted for an audience for each of its pipelines instead, as `plain` endings, which stand for themselves:
 * events that no filter has matched stay the difference to the matched ones. So nothing remains of the audience's counts, and
 * the number of rows depends on the pipelines alone.
 */
const BASES_BY_PIPELINE = `
${taken('bases', ['audience', 'kind'], 'EXISTS (SELECT FROM penstock_router.audiences a WHERE a.id = t.audience)')},
summed AS (
  SELECT audience, kind, minute - minute % $3 AS minute, sum(count) AS count
    FROM taken GROUP BY audience, kind, minute - minute % $3
), of_pipelines AS (
  SELECT member.pipeline, s.minute, s.count,
         CASE WHEN s.kind IN ('Duplicate', 'DifferentBody') THEN 'Duplicate' ELSE 'Filtered' END AS state,
         CASE WHEN s.kind IN ('Duplicate', 'DifferentBody') THEN 'Receive' ELSE 'Filter' END AS step,
         CASE s.kind WHEN 'New' THEN CASE WHEN member.enabled THEN '' ELSE 'Disabled' END
                     WHEN 'Duplicate' THEN '' ELSE s.kind END AS code
    FROM summed s JOIN penstock_router.audiences a ON a.id = s.audience
   CROSS JOIN LATERAL (SELECT unnest(a.enabled) AS pipeline, true AS enabled
                       UNION ALL
                       SELECT unnest(a.disabled), false) member
), moved AS (
  INSERT INTO penstock_router.counters (pipeline, minute, state, step, code, partition, plain, count)
  SELECT pipeline, minute, state, step, code, $1 - 1, true, sum(count)
    FROM of_pipelines GROUP BY pipeline, minute, state, step, code
  ON CONFLICT (pipeline, minute, state, step, code, partition, plain)
  DO UPDATE SET count = counters.count + excluded.count
)
${NUMBER_TAKEN}`;

const TIMES = `
${taken('delivery_times', ['pipeline'])}, retried AS (
  SELECT pipeline, minute - minute % $3 AS minute, sum(retries) AS retries
    FROM taken GROUP BY pipeline, minute - minute % $3
), counted AS (
  SELECT pipeline, minute - minute % $3 AS minute, bucket, sum(count)::bigint AS count
    FROM taken CROSS JOIN LATERAL unnest(buckets, counts) AS latency (bucket, count)
   GROUP BY pipeline, minute - minute % $3, bucket
), merged AS (
  SELECT pipeline, minute, array_agg(bucket ORDER BY bucket) AS buckets, array_agg(count ORDER BY bucket) AS counts
    FROM counted GROUP BY pipeline, minute
), moved AS (
  INSERT INTO penstock_router.delivery_times (pipeline, minute, partition, retries, buckets, counts)
  SELECT r.pipeline, r.minute, $1 - 1, r.retries, coalesce(m.buckets, '{}'), coalesce(m.counts, '{}')
    FROM retried r LEFT JOIN merged m USING (pipeline, minute)
  ${MERGE_TIMES}
)
${NUMBER_TAKEN}`;

/**
 * Each kind of counts with its steps; audiences first, since what is counted of them is counted by pipeline then. An audience may
 * have thousands of pipelines: of its counts, few are taken at once.
 */
const MOVES: readonly (readonly [statement: string, step: RollUpStep, mostRows: number])[] = [
  [BASES, MERGE_PARTITIONS, Infinity],
  [BASES_BY_PIPELINE, MERGE_MINUTES, 240],
  ...[COUNTERS, TIMES, SOURCES].flatMap((statement) =>
    [MERGE_PARTITIONS, MERGE_MINUTES, MERGE_HOURS].map(
      (step) => [statement, step, Infinity] as const,
    ),
  ),
];

/** One slice of each kind, each in a transaction of its own: an end at any time leaves all sums as they are. */
export const rollUp = async (database: Database, rows: number): Promise<boolean> => {
  let isMore = false;
  for (const [statement, { tier, span, before }, mostRows] of MOVES) {
    const most = Math.min(rows, mostRows);
    const number = await database.transaction(async (db) => {
      const { rows: found } = await db.query<{ isFree: boolean; now: number }>(
        `SELECT pg_try_advisory_xact_lock($1) AS "isFree", floor(extract(epoch FROM now()) / 60)::int AS now`,
        [ADVISORY_LOCK.rollUp],
      );
      const [{ isFree, now } = { isFree: false, now: 0 }] = found;
      if (!isFree) return 0;
      const moved = await db.query<{ number: number }>(statement, [tier, before(now), span, most]);
      return moved.rows[0]?.number ?? 0;
    });
    isMore ||= number === most;
  }
  return isMore;
};
