import type { LogRecord } from '../message-log';
import type { Database } from './database';
import { messagesTable } from './schema';

/** Position of a partition for the next fetch. */
export interface Cursor {
  readonly partition: number;
  readonly offset: number;
  /** Lower bound for the time of the record at the offset; older segments are not searched. */
  readonly sinceMs: number;
}

export interface FetchLimits {
  readonly maxRecords: number;
  /** Bytes of values of one partition; the first record is returned whatever its size. */
  readonly maxBytes: number;
}

type Row = [
  partition: number,
  offset: string,
  timestampMs: string,
  key: string,
  value: string | null,
];

const fetchText = (topicId: number, { maxRecords, maxBytes }: FetchLimits): string => `
  select at.partition, record."offset", record.timestamp_ms, record.key, record.value
  from unnest($1::int[], $2::bigint[], $3::bigint[]) as at (partition, "offset", since_ms)
  cross join lateral (
    select *, sum(coalesce(octet_length(value), 0)) over (
      order by "offset" rows between unbounded preceding and 1 preceding
    ) as bytes_before
    from (
      select "offset", timestamp_ms, key, value from ${messagesTable(topicId)} message
      where message.partition = at.partition
        and message."offset" >= at."offset" and message.timestamp_ms >= at.since_ms
      order by message."offset" limit ${maxRecords}
    ) next
  ) record
  where coalesce(bytes_before, 0) < ${maxBytes}`;

const byOffset = (a: LogRecord, b: LogRecord): number => a.offset - b.offset;

/** Fetches the next records of each partition in one round trip; partitions without records are left out. */
export const fetchRecords = async (
  database: Database,
  topicId: number,
  cursors: readonly Cursor[],
  limits: FetchLimits,
): Promise<ReadonlyMap<number, readonly LogRecord[]>> => {
  const rows = await database.rows<Row>({
    name: `penstock_log_fetch_${topicId}_${limits.maxRecords}_${limits.maxBytes}`,
    text: fetchText(topicId, limits),
    values: [
      cursors.map(({ partition }) => partition),
      cursors.map(({ offset }) => offset),
      cursors.map(({ sinceMs }) => sinceMs),
    ],
  });
  const byPartition = new Map(cursors.map(({ partition }) => [partition, [] as LogRecord[]]));
  for (const [partition, offset, timestampMs, key, value] of rows)
    byPartition
      .get(partition)
      ?.push({ partition, offset: Number(offset), timestampMs: Number(timestampMs), key, value });
  for (const records of byPartition.values()) records.sort(byOffset);
  return byPartition;
};
