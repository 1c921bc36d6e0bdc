import type { PoolClient } from 'pg';
import { messagesTable } from './schema';

/** Makes one eighth of the retention the most that is kept too long. */
const SEGMENTS_PER_RETENTION = 8;
const MIN_SEGMENT_MS = 60_000;
/** More than passes between two runs of the maintenance, even when some are missed. */
const AHEAD_MS = 600_000;

/** A stretch of time of one topic, in a table of its own: from the first moment up to, not with, the second. */
export interface Segment {
  readonly table: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const segmentTable = (topicId: number, fromMs: number, toMs: number): string =>
  `${messagesTable(topicId)}_${fromMs}_${toMs}`;

type Stretch = Pick<Segment, 'fromMs' | 'toMs'>;

/** The segments that must be added so that what is appended within the next minutes has its table. */
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

/** The segments of which every record is older than the retention. */
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
 * Records are added, and leave with their table. Vacuuming a table because rows were added to it would read and write
 * all of it once more, for index-only scans that nobody makes.
 */
const STORAGE = [
  'autovacuum_vacuum_insert_threshold = -1',
  'toast.autovacuum_vacuum_insert_threshold = -1',
].join(', ');

/** Under the lock of the schema. */
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
