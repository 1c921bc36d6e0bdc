import type { QueryConfig } from 'pg';
import type { NewMessage } from '../message-log';
import type { Ends } from './conditions';

/** ASCII's record separator, which JSON text never contains unescaped. */
const SEPARATOR = '\u001e';
/** A value of ASCII's unit separator alone stands for a tombstone. */
const TOMBSTONE = '\u001f';

/** Whether a message can be sent within a text that is split by control characters. */
const isPlain = ({ key, value }: NewMessage): boolean =>
  !key.includes(SEPARATOR) &&
  (value === null || (!value.includes(SEPARATOR) && value !== TOMBSTONE));

/** The messages of one partition, in order. */
export interface Part {
  /** Row id in `penstock_log.partitions`. */
  readonly partitionId: number;
  readonly messages: readonly NewMessage[];
}

/** A result row: a partition that was appended to, or one that had moved. */
export type FlushRow = [
  partitionId: number,
  /** Offset of the partition's first message; for a partition that had moved, its present end. */
  offset: string,
  hadMoved: boolean,
];

/**
 * Updates the heads first, locked in the order of their ids so that writers cannot deadlock; then inserts all rows;
 * then notifies readers of the new ends. One statement is one transaction and one fsync.
 *
 * @param moved query for partitions beyond their required end: if it finds any, nothing is written.
 */
const statement = (keys: string, values: string, value: string, moved?: string): string => `
  with part as (
    select * from unnest($1::int[], $2::int[], $3::int[]) as part (id, count, first)
  ), ${moved ? `moved as materialized (${moved}), ` : ''}locked as materialized (
    select id from penstock_log.partitions where id = any($1::int[]) order by id for update
  ), head as (
    update penstock_log.partitions p
    set next_offset = next_offset + part.count,
        last_ms = greatest(last_ms, (extract(epoch from clock_timestamp()) * 1000)::bigint)
    from part
    where p.id = part.id and exists (select from locked where locked.id = p.id)
      ${moved ? 'and not exists (select from moved)' : ''}
    returning p.id, topic_id, partition, next_offset, next_offset - part.count as base, last_ms, part.first
  ), inserted as (
    insert into penstock_log.messages (topic_id, partition, "offset", timestamp_ms, key, value)
    select topic_id, partition, base + message.nth - first, last_ms, message.key, ${value}
    from (
      select * from rows from (unnest($4::int[]), ${keys}, ${values})
      with ordinality as message (id, key, value, nth)
    ) message join head using (id)
  )
  select id, base, false, (
    select pg_notify('penstock_log', string_agg(id || ':' || next_offset, ','))::text from head
  ) from head
  ${moved ? 'union all select id, next_offset, true, null from moved' : ''}`;

const MOVED = `
  select demanded.id, present.next_offset
  from unnest($7::int[], $8::bigint[]) as demanded (id, lowest)
  join penstock_log.partitions present on present.id = demanded.id
  where present.next_offset > demanded.lowest`;

interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Separate statements, since most flushes have no condition. */
const statements = (name: string, keys: string, values: string, value: string) => ({
  plain: { name, text: statement(keys, values, value) },
  conditional: { name: `${name}_if`, text: statement(keys, values, value, MOVED) },
});

const split = (parameter: string): string => `string_to_table(${parameter}::text, E'\\x1e')`;

const SPLIT = statements(
  'penstock_log_append',
  split('$5'),
  split('$6'),
  `nullif(message.value, E'\\x1f')`,
);
/** The driver's arrays accept any text, at ten times the cost: quotes and backslashes are escaped. */
const ARRAYS = statements(
  'penstock_log_append_any',
  'unnest($5::text[])',
  'unnest($6::text[])',
  'message.value',
);

const integers = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;

/**
 * Builds the statement of a flush.
 *
 * @param parts at least one, of ascending ids, none empty.
 * @param lowestEnds nothing is written when one of these partitions is beyond its end here.
 */
export const flushStatement = (
  parts: readonly Part[],
  lowestEnds: Ends = new Map<number, number>(),
): QueryConfig => {
  const [counts, firsts, ids]: [number[], number[], number[]] = [[], [], []];
  const [keys, values]: [string[], (string | null)[]] = [[], []];
  let plain = true;
  for (const { partitionId, messages } of parts) {
    counts.push(messages.length);
    firsts.push(ids.length + 1);
    for (const message of messages) {
      ids.push(partitionId);
      keys.push(message.key);
      values.push(message.value);
      plain &&= isPlain(message);
    }
  }
  const heads = [integers(parts.map(({ partitionId }) => partitionId)), integers(counts)];
  const columns = [...heads, integers(firsts), integers(ids)];
  const choose = ({ plain: always, conditional }: ReturnType<typeof statements>): Statement =>
    lowestEnds.size === 0 ? always : conditional;
  const demands =
    lowestEnds.size === 0
      ? []
      : [integers([...lowestEnds.keys()]), integers([...lowestEnds.values()])];
  const texts = [keys, values.map((value) => value ?? TOMBSTONE)].map((column) =>
    column.join(SEPARATOR),
  );
  // PostgreSQL splits an empty text into nothing, not into one empty text.
  if (!plain || texts.includes(''))
    return { ...choose(ARRAYS), values: [...columns, keys, values, ...demands] };
  return { ...choose(SPLIT), values: [...columns, ...texts, ...demands] };
};
