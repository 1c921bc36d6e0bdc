import type { PoolClient } from 'pg';
import type { Database } from './database';
import { DDL_LOCK, messagesTable } from './schema';
import { listSegments, makeSegments, outlivedSegments } from './segments';

const COMPACT_EVERY_MS = 600_000;
/** Dropping a table waits for statements that read it, and lets others wait meanwhile. */
const LOCK_TIMEOUT_MS = 2_000;

export interface MaintenanceOptions {
  /** How long a tombstone is kept, so that every follower meets it. */
  readonly tombstonesKeptMs: number;
  /** The present, for tests. */
  readonly nowMs?: number;
  /** Compacts now, also what was compacted a short time ago. */
  readonly compactsNow?: boolean;
}

interface TopicRow {
  readonly id: number;
  readonly retention: string;
  readonly compacted_ms: string;
}

const DELETE_SUPERSEDED = (topicId: number): string => `
  delete from ${messagesTable(topicId)} message
  using (
    select partition, key, max("offset") as last from ${messagesTable(topicId)} group by partition, key
  ) newest
  where message.partition = newest.partition and message.key = newest.key
    and (message."offset" < newest.last or (message.value is null and message.timestamp_ms < $1))`;

const compact = async (client: PoolClient, topicId: number, nowMs: number, keptMs: number) => {
  await client.query('set local enable_seqscan = on');
  await client.query(DELETE_SUPERSEDED(topicId), [nowMs - keptMs]);
  await client.query('update penstock_log.topics set compacted_ms = $2 where id = $1', [
    topicId,
    nowMs,
  ]);
};

const retain = async (client: PoolClient, topicId: number, retentionMs: number, nowMs: number) => {
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await makeSegments(client, topicId, retentionMs, nowMs);
  for (const { table } of outlivedSegments(await listSegments(client, topicId), retentionMs, nowMs))
    await client.query(`drop table ${table}`);
};

const maintainTopic = async (
  client: PoolClient,
  { id, retention, compacted_ms: compactedMs }: TopicRow,
  { tombstonesKeptMs, compactsNow, nowMs = Date.now() }: MaintenanceOptions,
) => {
  await client.query('select pg_advisory_xact_lock($1)', [DDL_LOCK]);
  if (retention !== 'compact') await retain(client, id, Number(retention), nowMs);
  else if (compactsNow || nowMs - Number(compactedMs) >= COMPACT_EVERY_MS)
    await compact(client, id, nowMs, tombstonesKeptMs);
};

/**
 * What keeps the log in its bounds: makes the segments of the next minutes, drops those that were outlived,
 * deletes superseded records of compacted topics. Each topic in a transaction of its own, one process at a time.
 */
export const maintain = async (database: Database, options: MaintenanceOptions): Promise<void> => {
  const topics = await database.transaction(async (client) => {
    const { rows } = await client.query<TopicRow>(
      `select id, retention, compacted_ms from penstock_log.topics where retention <> 'forever'`,
    );
    return rows;
  });
  for (const topic of topics)
    await database.transaction((client) => maintainTopic(client, topic, options));
};
