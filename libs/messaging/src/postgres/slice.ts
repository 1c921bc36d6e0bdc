import type { LogSlice } from '../log-slice';
import { MAX_SLICE_RECORDS, READ_TIMEOUT_MS } from '../read-limits';
import type { Database } from './database';
import { messagesTable } from './schema';
import type { Topic } from './topics';
import { within } from '../within';

type Row = [
  begin: string,
  end: string,
  offset: string | null,
  timestampMs: string,
  key: string,
  value: string | null,
];

/** Number of records whose sizes are used to estimate how many fit. */
const SAMPLE_RECORDS = 32;

/**
 * Reads range and records in one statement, from one state of the log. It reads as many records as fit if all are as
 * large as the first ones: a slice may be shorter than possible, but records that are read and not returned cost the
 * server as much as those that are.
 */
const sliceText = (topicId: number): string => `
  select coalesce(first."offset", p.next_offset), p.next_offset,
    record."offset", record.timestamp_ms, record.key, record.value
  from penstock_log.partitions p
  left join lateral (
    select "offset" from ${messagesTable(topicId)} message
    where message.partition = p.partition order by message."offset" limit 1
  ) first on true
  left join lateral (
    select *, row_number() over (order by "offset") as nth,
      sum(coalesce(octet_length(value), 0)) over (order by "offset") as bytes
    from (
      select "offset", timestamp_ms, key, value from ${messagesTable(topicId)} message
      where message.partition = p.partition and message."offset" >= $2
      order by message."offset" limit (
        select least(
          ${MAX_SLICE_RECORDS},
          ${SAMPLE_RECORDS} + ceil($3 / greatest(1, avg(coalesce(octet_length(value), 0))))
        )::int
        from (
          select value from ${messagesTable(topicId)} message
          where message.partition = p.partition and message."offset" >= $2
          order by message."offset" limit ${SAMPLE_RECORDS}
        ) sample
      )
    ) next
  ) record on record.nth = 1 or record.bytes <= $3
  where p.id = $1
  order by record."offset"`;

/** Reads a slice. @throws LogUnavailable */
export const readSlice = async (
  database: Database,
  topic: Topic,
  partition: number,
  offset: number,
  maxBytes: number,
): Promise<LogSlice> => {
  const query = {
    name: `penstock_log_slice_${topic.id}`,
    text: sliceText(topic.id),
    values: [topic.partitionIds[partition], offset, Math.floor(maxBytes)],
    query_timeout: READ_TIMEOUT_MS,
  };
  const rows = await within(READ_TIMEOUT_MS, 'PostgreSQL', database.rows<Row>(query));
  const [[begin, end] = ['0', '0']] = rows;
  const records = rows.flatMap(([, , at, timestampMs, key, value]) =>
    at === null
      ? []
      : [{ partition, offset: Number(at), timestampMs: Number(timestampMs), key, value }],
  );
  const last = records.at(-1);
  const next = last ? last.offset + 1 : Math.max(offset, Number(end));
  return { records, next, begin: Number(begin), end: Number(end) };
};
