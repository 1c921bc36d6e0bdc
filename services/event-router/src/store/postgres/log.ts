import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import type { OpenDelivery } from '../changes';
import { expired } from '../expired';
import { packOutcomes } from '../packed-outcomes';
import { LOG_REPLACED } from '../replay-delivery-store';
import type { RecordedLog } from '../router-store';
import { markOf, type MarkRow, readOpen } from './restore';
import type { Database } from './sql/database';

interface RoutedRow extends MarkRow {
  readonly partition: number;
  readonly routed: string;
}

const readLog = async (db: PoolClient, lock: '' | 'FOR UPDATE'): Promise<RecordedLog> => {
  const { rows: logs } = await db.query<{ identity: string }>(
    `SELECT identity FROM penstock_router.log ${lock}`,
  );
  const { rows } = await db.query<RoutedRow>(
    `SELECT partition, routed, mark_offset, mark_ms, mark_crc
       FROM penstock_router.partitions ORDER BY partition ${lock}`,
  );
  const partitions = rows.map((row) => ({
    partition: row.partition,
    routed: Number(row.routed),
    mark: markOf(row),
  }));
  return { identity: logs[0]?.identity ?? '', partitions };
};

/** The log that the progress belongs to; records `identity` when there is none yet. */
export const recordLog = (database: Database, identity: string): Promise<RecordedLog> =>
  database.transaction(async (db) => {
    await db.query(
      'INSERT INTO penstock_router.log (identity) VALUES ($1) ON CONFLICT (one) DO NOTHING',
      [identity],
    );
    return readLog(db, '');
  });

/** Tables whose rows have an offset of the log. */
const PLACED = ['deliveries', 'bodies', 'redrive_deliveries', 'unreadable'];

/** Tables in which nothing can be found without the log that their offsets belong to. */
const OF_LOG = ['attempts', 'trails', 'duplicates'];

/** Moves all offsets below 0, by more than their range, so that no row collides with another one meanwhile. */
const moveBelow = async (db: PoolClient): Promise<void> => {
  const spans = PLACED.map(
    (table) =>
      `SELECT partition, min("offset") AS first, max("offset") AS last
         FROM penstock_router.${table} GROUP BY partition`,
  );
  const { rows } = await db.query<{ partition: number; by: string }>(
    `SELECT partition, max(last) - least(min(first), 0) + 1 AS by FROM (${spans.join(' UNION ALL ')}) spans
      GROUP BY partition HAVING max(last) >= 0`,
  );
  for (const { partition, by } of rows)
    for (const table of PLACED)
      await db.query(
        `UPDATE penstock_router.${table} SET "offset" = "offset" - $2 WHERE partition = $1`,
        [partition, by],
      );
};

/** Records the outcomes of expired deliveries, as a commit with sequence 0 of the new epoch. */
const recordExpired = async (
  db: PoolClient,
  partition: number,
  open: readonly OpenDelivery[],
): Promise<void> => {
  if (open.length === 0) return;
  const { rows } = await db.query<{ ms: number }>(
    'SELECT floor(extract(epoch FROM now()) * 1000)::float8 AS ms',
  );
  await db.query(
    `INSERT INTO penstock_router.outcomes (day, partition, epoch, sequence, data)
     SELECT floor(extract(epoch FROM now()) / 86400)::int, partition, epoch + 1, 0, $2
       FROM penstock_router.partitions WHERE partition = $1`,
    [partition, packOutcomes(expired(open, rows[0]?.ms ?? 0))],
  );
};

/** Counts the retries of expired deliveries. */
const countRetries = async (
  db: PoolClient,
  partition: number,
  open: readonly OpenDelivery[],
): Promise<void> => {
  const retried = open.filter(({ attempts }) => attempts > 1);
  await db.query(
    `INSERT INTO penstock_router.delivery_times (pipeline, minute, partition, retries, buckets, counts)
     SELECT pipeline, floor(extract(epoch FROM now()) / 60)::int, $1, sum(retries), '{}', '{}'
       FROM unnest($2::text[], $3::bigint[]) AS retried (pipeline, retries) GROUP BY pipeline
     ON CONFLICT (pipeline, minute, partition)
     DO UPDATE SET retries = delivery_times.retries + excluded.retries`,
    [partition, retried.map(({ pipeline }) => pipeline), retried.map((each) => each.attempts - 1)],
  );
};

/** Ends, as expired, the deliveries that were open or left to keys: their events cannot be read any more. */
const endOpen = async (db: PoolClient, partition: number): Promise<void> => {
  const open = await readOpen(db, partition);
  await recordExpired(db, partition, open);
  await countRetries(db, partition, open);
  await db.query(
    `INSERT INTO penstock_router.counters (pipeline, minute, state, step, code, partition, count)
     SELECT pipeline, floor(extract(epoch FROM now()) / 60)::int, 'Parked', 'Finalize', 'Expired', $1, sum(count)
       FROM (SELECT pipeline, 1 AS count FROM unnest($2::text[]) AS pipeline
             UNION ALL
             SELECT owed.key, owed.value::bigint FROM penstock_router.cursors c, jsonb_each_text(c.owed) AS owed
              WHERE c.partition = $1) expired
      GROUP BY pipeline
     ON CONFLICT (pipeline, minute, state, step, code, partition, plain)
     DO UPDATE SET count = counters.count + excluded.count`,
    [partition, open.map(({ pipeline }) => pipeline)],
  );
};

/** Replays that deliver have windows of the log before. Nobody works on them any more: every epoch was raised. */
const failReplays = async (db: PoolClient): Promise<void> => {
  await db.query(
    `WITH ended AS (
       UPDATE penstock_router.jobs SET state = 'Failed', ended = now()
        WHERE kind = 'DeliveringReplay' AND ended IS NULL RETURNING id
     ), rest AS (
       DELETE FROM penstock_router.replay_deliveries d USING ended WHERE d.job = ended.id RETURNING d.job, d.partition
     ), reasons AS (
       UPDATE penstock_router.replays r SET reason = $1 FROM ended WHERE r.job = ended.id
     )
     INSERT INTO penstock_router.job_counts (job, partition, name, count)
     SELECT job, partition, 'left', count(*) FROM rest GROUP BY job, partition`,
    [LOG_REPLACED],
  );
};

const forget = async (db: PoolClient, routed: readonly number[]): Promise<void> => {
  await db.query(
    `INSERT INTO penstock_router.partitions (partition)
     SELECT number FROM generate_series(0, $1 - 1) AS number ORDER BY 1 ON CONFLICT DO NOTHING`,
    [routed.length],
  );
  const { rows } = await db.query<{ partition: number }>(
    'SELECT partition FROM penstock_router.partitions ORDER BY partition FOR UPDATE',
  );
  for (const { partition } of rows) await endOpen(db, partition);
  await db.query(
    `UPDATE penstock_router.partitions
        SET epoch = epoch + 1, sequence = 0, routed = coalesce(($1::bigint[])[partition + 1], 0),
            mark_offset = NULL, mark_ms = NULL, mark_crc = NULL`,
    [routed],
  );
  for (const table of ['changes', 'cursors', 'repeats', 'beyond'])
    await db.query(`DELETE FROM penstock_router.${table}`);
  await db.query(
    'UPDATE penstock_router.traced SET log_hour = floor(extract(epoch FROM now()) / 3600)::int',
  );
  await db.query(`TRUNCATE ${OF_LOG.map((table) => `penstock_router.${table}`).join(', ')}`);
  await moveBelow(db);
  await failReplays(db);
};

/**
 * Lets every partition begin in another log, at its offset in `routed`, or at 0.
 *
 * @returns false: `before` is outdated.
 */
export const beginAnew = (
  database: Database,
  before: RecordedLog,
  identity: string,
  routed: readonly number[],
): Promise<boolean> =>
  database.transaction(async (db) => {
    if (!isDeepStrictEqual(await readLog(db, 'FOR UPDATE'), before)) return false;
    await forget(db, routed);
    await db.query('UPDATE penstock_router.log SET identity = $1', [identity]);
    return true;
  });
