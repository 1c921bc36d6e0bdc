import type { Database } from './database';
import { messagesTable } from './schema';
import type { Topic } from './topics';

type First = [partition: number, offset: string, timestampMs: string];

const firstText = (topicId: number): string => `
  select at.partition, first."offset", first.timestamp_ms
  from unnest($1::int[], $2::bigint[]) as at (partition, "offset")
  cross join lateral (
    select "offset", timestamp_ms from ${messagesTable(topicId)} message
    where message.partition = at.partition and message."offset" >= at."offset"
    order by message."offset" limit 1
  ) first`;

/** Finds the first kept record at or after an offset of each partition; partitions without one are left out. */
const firstRecords = async (
  database: Database,
  { id }: Topic,
  from: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, { readonly offset: number; readonly timestampMs: number }>> => {
  const rows = await database.rows<First>({
    text: firstText(id),
    values: [[...from.keys()], [...from.values()]],
  });
  return new Map(
    rows.map(([partition, offset, timestampMs]) => [
      partition,
      { offset: Number(offset), timestampMs: Number(timestampMs) },
    ]),
  );
};

const beginningsText = (topicId: number): string => `
  select coalesce(first."offset", p.next_offset)
  from penstock_log.partitions p
  left join lateral (
    select "offset" from ${messagesTable(topicId)} message
    where message.partition = p.partition order by message."offset" limit 1
  ) first on true
  where p.topic_id = $1 order by p.partition`;

/** Returns the offset of the first kept record of each partition; where nothing is kept, the end at the same moment. */
export const beginningOffsets = async (
  database: Database,
  { id }: Topic,
): Promise<readonly number[]> => {
  const rows = await database.rows<[string]>({ text: beginningsText(id), values: [id] });
  return rows.map(([offset]) => Number(offset));
};

/**
 * Finds offsets by time with a binary search over all partitions at once: times never decrease within a partition, so
 * no index is needed.
 *
 * @param ends the present ends: the result where no record is at or after the time.
 */
export const offsetsAt = async (
  database: Database,
  topic: Topic,
  ends: readonly number[],
  timestampMs: number,
): Promise<readonly number[]> => {
  const ranges = ends.map((end, partition) => ({ partition, from: 0, to: end, answer: end }));
  for (;;) {
    const open = ranges.filter(({ from, to }) => from < to);
    if (open.length === 0) return ranges.map(({ answer }) => answer);
    const middles = new Map(
      open.map(({ partition, from, to }) => [partition, Math.floor((from + to) / 2)]),
    );
    const firsts = await firstRecords(database, topic, middles);
    for (const range of open) {
      const middle = middles.get(range.partition) ?? range.from;
      const first = firsts.get(range.partition);
      if (first && first.timestampMs < timestampMs) range.from = first.offset + 1;
      else {
        range.to = middle;
        range.answer = first?.offset ?? range.answer;
      }
    }
  }
};
