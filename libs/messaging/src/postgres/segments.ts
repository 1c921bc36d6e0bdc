import type { PoolClient } from 'pg';
import { messagesTable } from './schema';

/** Bounds how long records are kept beyond the retention: one eighth of it. */
const SEGMENTS_PER_RETENTION = 8;
const MIN_SEGMENT_MS = 60_000;
/** Longer than the time between two runs of the maintenance, even when some fail. */
const AHEAD_MS = 600_000;

/** A time range of one topic in a table of its own: `fromMs` inclusive, `toMs` exclusive. */
export interface Segment {
  readonly table: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const segmentTable = (topicId: number, fromMs: number, toMs: number): string =>
  `${messagesTable(topicId)}_${fromMs}_${toMs}`;

type Stretch = Pick<Segment, 'fromMs' | 'toMs'>;

/** Returns the segments to add, so that appends within the next minutes have a table. */
export const missingSegments = (
  existing: readonly Stretch[],
  retentionMs: number,
  nowMs: number,
): readonly Stretch[] => {
  const lengthMs = Math.max(MIN_SEGMENT_MS, Math.ceil(retentionMs / SEGMENTS_PER_RETENTION));
  const missing: Stretch[] = [];
  let fromMs = nowMs - (nowMs % lengthMs);
  while (fromMs <= nowMs + AHEAD_MS) {
    const present = existing.find((one) => one.fromMs <= fromMs && fromMs < one.toMs);
    const next = existing.filter((one) => one.fromMs > fromMs).map((one) => one.fromMs);
    const toMs = present?.toMs ?? Math.min(fromMs + lengthMs, ...next);
    if (!present) missing.push({ fromMs, toMs });
    fromMs = toMs;
  }
  return missing;
};

/** Returns the segments whose records are all older than the retention. */
export const outlivedSegments = (
  existing: readonly Segment[],
  retentionMs: number,
  nowMs: number,
): readonly Segment[] => existing.filter(({ toMs }) => toMs <= nowMs - retentionMs);

export const listSegments = async (
  client: PoolClient,
  topicId: number,
): Promise<readonly Segment[]> => {
  const { rows } = await client.query<{ table: string }>(
    `select 'penstock_log.' || relname as table from pg_class
     where oid in (select inhrelid from pg_inherits where inhparent = $1::regclass)`,
    [messagesTable(topicId)],
  );
  return rows.map(({ table }) => {
    const [fromMs = 0, toMs = 0] = table.split('_').slice(-2).map(Number);
    return { table, fromMs, toMs };
  });
};

/**
 * Records are only inserted, and dropped with their table. A vacuum after inserts would read and write the whole table
 * again, for index-only scans that are never used.
 */
const STORAGE = [
  'autovacuum_vacuum_insert_threshold = -1',
  'toast.autovacuum_vacuum_insert_threshold = -1',
].join(', ');

/** Makes the missing segments. To be called under the lock of the schema. */
export const makeSegments = async (
  client: PoolClient,
  topicId: number,
  retentionMs: number,
  nowMs: number,
): Promise<void> => {
  const existing = await listSegments(client, topicId);
  for (const { fromMs, toMs } of missingSegments(existing, retentionMs, nowMs))
    await client.query(
      `create table ${segmentTable(topicId, fromMs, toMs)}
       partition of ${messagesTable(topicId)} for values from (${fromMs}) to (${toMs})
       with (${STORAGE})`,
    );
};
