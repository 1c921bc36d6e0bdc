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

/** The segments that must be added so that what is appended within the next minutes has its table. */
export const missingSegments = (
  existing: readonly { readonly toMs: number }[],
  retentionMs: number,
  nowMs: number,
): readonly { readonly fromMs: number; readonly toMs: number }[] => {
  const lengthMs = Math.max(MIN_SEGMENT_MS, Math.ceil(retentionMs / SEGMENTS_PER_RETENTION));
  const coveredMs = Math.max(0, ...existing.map(({ toMs }) => toMs));
  const missing = [];
  let fromMs = Math.max(coveredMs, nowMs - (nowMs % lengthMs));
  for (; fromMs <= nowMs + AHEAD_MS; fromMs += lengthMs)
    missing.push({ fromMs, toMs: fromMs + lengthMs });
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
       partition of ${messagesTable(topicId)} for values from (${fromMs}) to (${toMs})`,
    );
};
