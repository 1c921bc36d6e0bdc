import type { PoolClient, QueryConfig } from 'pg';
import { type Database, emptyWithoutSchema } from './database';
import { COMPACTION_LOCK, messagesTable, TABLES_LOCK } from './schema';
import { listSegments, makeSegments, outlivedSegments } from './segments';

const COMPACT_EVERY_MS = 600_000;
const COMPACTION_TIMEOUT_MS = 600_000;
/** Dropping a table waits for statements that read it, and blocks later ones meanwhile. */
const LOCK_TIMEOUT_MS = 2_000;

export interface MaintenanceOptions {
  /** Minimal time for which a tombstone is kept, so that every reader sees it. */
  readonly tombstonesKeptMs: number;
  /** The present time; set by tests. */
  readonly nowMs?: number;
  /** Compacts regardless of the time of the last compaction. */
  readonly compactsNow?: boolean;
}

type TopicRow = [id: number, retention: string, compactedMs: string];

const BOUNDED = `
  select id, retention, compacted_ms from penstock_log.topics where retention <> 'forever'`;

const DELETE_SUPERSEDED = (topicId: number): string => `
  delete from ${messagesTable(topicId)} message
  using (
    select partition, key, max("offset") as last from ${messagesTable(topicId)} group by partition, key
  ) newest
  where message.partition = newest.partition and message.key = newest.key
    and (message."offset" < newest.last or (message.value is null and message.timestamp_ms < $1))`;

const compact = async (
  client: PoolClient,
  topicId: number,
  { tombstonesKeptMs, nowMs = Date.now() }: MaintenanceOptions,
): Promise<void> => {
  const { rows } = await client.query<{ free: boolean }>(
    'select pg_try_advisory_xact_lock($1) as free',
    [COMPACTION_LOCK],
  );
  if (!rows[0]?.free) return;
  await client.query('set local enable_seqscan = on');
  const deletion: QueryConfig & { readonly query_timeout: number } = {
    text: DELETE_SUPERSEDED(topicId),
    values: [nowMs - tombstonesKeptMs],
    query_timeout: COMPACTION_TIMEOUT_MS,
  };
  await client.query(deletion);
  await client.query('update penstock_log.topics set compacted_ms = $2 where id = $1', [
    topicId,
    nowMs,
  ]);
};

const retain = async (
  client: PoolClient,
  topicId: number,
  retentionMs: number,
  nowMs: number,
): Promise<void> => {
  await client.query('select pg_advisory_xact_lock($1)', [TABLES_LOCK]);
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await makeSegments(client, topicId, retentionMs, nowMs);
  const segments = await listSegments(client, topicId);
  for (const { table } of outlivedSegments(segments, retentionMs, nowMs))
    await client.query(`drop table ${table}`);
};

/**
 * Maintains the log: makes the segments of the next minutes, drops expired ones, deletes superseded records of
 * compacted topics. Each topic in a transaction of its own, one process at a time.
 */
export const maintain = async (database: Database, options: MaintenanceOptions): Promise<void> => {
  const { compactsNow = false, nowMs = Date.now() } = options;
  const topics = await database.rows<TopicRow>({ text: BOUNDED }).catch(emptyWithoutSchema);
  const failures: unknown[] = [];
  for (const [id, retention, compactedMs] of topics) {
    const isCompacted = retention === 'compact';
    if (isCompacted && !compactsNow && nowMs - Number(compactedMs) < COMPACT_EVERY_MS) continue;
    await database
      .transaction((client) =>
        isCompacted ? compact(client, id, options) : retain(client, id, Number(retention), nowMs),
      )
      .catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
};
