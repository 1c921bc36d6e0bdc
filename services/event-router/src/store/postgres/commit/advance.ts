import { packChange } from '../../change-log';
import { countsOf, type PartitionChanges } from '../../changes';
import { packAttempts } from '../../packed-attempts';
import { packOutcomes } from '../../packed-outcomes';
import { blocksOf } from '../../trail-blocks';
import { columns, plainArray } from '../sql/columns';
import { MERGE_TIMES } from './merge-times';
import { ofPartitions } from './of-partitions';

/**
 * Most obsolete rows of a partition that one commit deletes; later commits delete the others. With the limit the
 * planner reads them from the beginning of the index, whatever its statistics of the table.
 */
const DELETED_AT_ONCE = 1_000;

/**
 * Writes a commit, except for stored rows, cursors, repeats, unreadable records and audiences, in one statement. It
 * locks the partitions' rows in order, so that it waits for a commit under way and sees its result; everything else is
 * joined to `advanced`, the partitions for which it is the next commit of the current owner. Returns the epoch and
 * sequence that each partition had before.
 *
 * Nothing is written when an audience that counts refer to is `missing`. The others are locked, so that none is removed before
 * the commit has ended.
 *
 * Write-ahead log per message id, over the first 50,000 ids after a checkpoint: 0.2 kB in a slice of 100,000 ids, 0.4
 * kB in one of 500,000, 0.7 kB in one of a million. The row, 12 bytes of it for the place of the event, and its index
 * entry are the smaller part; the rest are full images of index pages, each written once after a checkpoint.
 */
export const ADVANCE = `
WITH c AS (
  SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::double precision[],
                       $7::bigint[], $8::bigint[], $9::boolean[], $10::text[], $11::text[], $12::text[])
    AS c (partition, epoch, sequence, routed, mark_offset, mark_ms, mark_crc, repeats_from, is_snapshot, data, outcomes,
          attempts)
), locked AS (
  SELECT p.partition, p.epoch, p.sequence FROM penstock_router.partitions p
   WHERE p.partition = ANY($1) ORDER BY p.partition FOR NO KEY UPDATE
), found AS (
  SELECT id FROM penstock_router.audiences WHERE id = ANY ($23::uuid[]) ORDER BY id FOR KEY SHARE
), missing AS (
  SELECT audience FROM unnest($23::uuid[]) AS r (audience) EXCEPT SELECT id FROM found
), advanced AS (
  UPDATE penstock_router.partitions p
     SET sequence = c.sequence, routed = c.routed,
         mark_offset = coalesce(c.mark_offset, p.mark_offset),
         mark_ms = coalesce(c.mark_ms, p.mark_ms),
         mark_crc = coalesce(c.mark_crc, p.mark_crc)
    FROM c JOIN locked ON locked.partition = c.partition AND locked.epoch = c.epoch
                      AND locked.sequence = c.sequence - 1
   WHERE p.partition = c.partition AND NOT EXISTS (SELECT FROM missing)
   RETURNING c.*
), replaced AS (
  DELETE FROM penstock_router.changes WHERE ctid = ANY (ARRAY(
    SELECT old.ctid FROM advanced a CROSS JOIN LATERAL (
      SELECT c.ctid FROM penstock_router.changes c WHERE c.partition = a.partition AND c.sequence < a.sequence
       ORDER BY c.sequence LIMIT ${DELETED_AT_ONCE}) old
     WHERE a.is_snapshot))
), changed AS (
  INSERT INTO penstock_router.changes (partition, sequence, data)
  SELECT partition, sequence, data FROM advanced WHERE data IS NOT NULL
), ended AS (
  INSERT INTO penstock_router.outcomes (day, partition, epoch, sequence, data)
  SELECT floor(extract(epoch FROM now()) / 86400)::int, partition, epoch, sequence, outcomes
    FROM advanced WHERE outcomes IS NOT NULL
), failed AS (
  INSERT INTO penstock_router.attempts (day, partition, epoch, sequence, data)
  SELECT floor(extract(epoch FROM now()) / 86400)::int, partition, epoch, sequence, attempts
    FROM advanced WHERE attempts IS NOT NULL
), placed AS (
  INSERT INTO penstock_router.trails (day, partition, block, epoch, sequence)
  SELECT floor(extract(epoch FROM now()) / 86400)::int, r.partition, r.block, a.epoch, a.sequence
    FROM unnest($13::int[], $14::bigint[]) AS r (partition, block)
    JOIN advanced a USING (partition)
), past_repeats AS (
  DELETE FROM penstock_router.repeats WHERE ctid = ANY (ARRAY(
    SELECT old.ctid FROM advanced a CROSS JOIN LATERAL (
      SELECT r.ctid FROM penstock_router.repeats r WHERE r.partition = a.partition AND r."offset" < a.repeats_from
       ORDER BY r."offset" LIMIT ${DELETED_AT_ONCE}) old))
), past_beyond AS (
  DELETE FROM penstock_router.beyond old USING advanced a
   WHERE old.partition = a.partition AND old.past <= a.routed
), counted AS (
  INSERT INTO penstock_router.counters (partition, pipeline, state, step, code, minute, count)
  SELECT r.* FROM unnest($15::int[], $16::text[], $17::text[], $18::text[], $19::text[], $20::int[], $21::bigint[])
                    AS r (partition, pipeline, state, step, code, minute, count)
    JOIN advanced USING (partition)
  ON CONFLICT (pipeline, minute, state, step, code, partition, plain)
  DO UPDATE SET count = counters.count + excluded.count
), based AS (
  INSERT INTO penstock_router.bases (partition, audience, kind, minute, count)
  SELECT r.* FROM unnest($22::int[], $23::uuid[], $24::text[], $25::int[], $26::bigint[])
                    AS r (partition, audience, kind, minute, count)
    JOIN advanced USING (partition)
  ON CONFLICT (audience, kind, minute, partition) DO UPDATE SET count = bases.count + excluded.count
), remembered AS (
  INSERT INTO penstock_router.messages (hash, digest, hour, partition, "offset")
  SELECT r.hash, r.digest, floor(extract(epoch FROM now()) / 3600)::int, r.partition, r."offset"
    FROM unnest($27::int[], $28::uuid[], $29::text[], $30::bigint[]) AS r (partition, hash, digest, "offset")
    JOIN advanced USING (partition)
), repeated AS (
  INSERT INTO penstock_router.duplicates (hour, hash, partition, "offset", differs, at)
  SELECT floor(extract(epoch FROM now()) / 3600)::int, r.hash, r.partition, r."offset", r.differs,
         to_timestamp(r.at_ms / 1000.0)
    FROM unnest($31::int[], $32::bigint[], $33::uuid[], $34::boolean[], $35::double precision[])
      AS r (partition, "offset", hash, differs, at_ms)
    JOIN advanced USING (partition)
), of_sources AS (
  INSERT INTO penstock_router.source_events (partition, source, kind, minute, count)
  SELECT r.* FROM unnest($36::int[], $37::text[], $38::text[], $39::int[], $40::bigint[])
                    AS r (partition, source, kind, minute, count)
    JOIN advanced USING (partition)
  ON CONFLICT (source, minute, kind, partition) DO UPDATE SET count = source_events.count + excluded.count
), timed AS (
  INSERT INTO penstock_router.delivery_times (partition, pipeline, minute, retries, buckets, counts)
  SELECT r.partition, r.pipeline, r.minute, r.retries, r.buckets::smallint[], r.counts::bigint[]
    FROM unnest($41::int[], $42::text[], $43::int[], $44::bigint[], $45::text[], $46::text[])
           AS r (partition, pipeline, minute, retries, buckets, counts)
    JOIN advanced USING (partition)
  ${MERGE_TIMES}
)
SELECT partition, epoch, sequence, ARRAY(SELECT audience::text FROM missing) AS missing FROM locked`;

const loggedChange = ({ snapshot, open, closed }: PartitionChanges): string | null => {
  if (snapshot !== null) return packChange({ isSnapshot: true, open: snapshot, closed: [] });
  if (open.length === 0 && closed.length === 0) return null;
  return packChange({ isSnapshot: false, open, closed });
};

type Keyed<Value = number> = [partition: number, key: string, value: Value];

const entries = <Value>(
  changes: readonly PartitionChanges[],
  mapOf: (changes: PartitionChanges) => ReadonlyMap<string, Value>,
): Keyed<Value>[] =>
  changes.flatMap((each) =>
    [...mapOf(each)].map(([key, value]): Keyed<Value> => [each.partition, key, value]),
  );

/** Splits the keys into columns, one per field; the last field but one may contain the separator. */
const fieldsOf = (rows: readonly Keyed<unknown>[], fields: number): string[][] => {
  const split = rows.map(([, key]) => {
    const parts = key.split('|');
    const last = parts.pop() ?? '';
    return [...parts.slice(0, fields - 2), parts.slice(fields - 2).join('|'), last];
  });
  return Array.from({ length: fields }, (_, at) => split.map((parts) => parts[at] ?? ''));
};

const partitionsOf = (rows: readonly Keyed<unknown>[]): number[] =>
  rows.map(([partition]) => partition);

const numbersOf = (rows: readonly Keyed[]): number[] => rows.map(([, , count]) => count);

/** Partitions, hashes, digests and offsets of all message ids, as array parameters. */
const messageColumns = (changes: readonly PartitionChanges[]): string[] => {
  const partitions: number[] = [];
  const hashes: string[] = [];
  const digests: string[] = [];
  const offsets: (number | 'NULL')[] = [];
  for (const { partition, messages } of changes)
    for (const [hash, { digest, offset }] of messages) {
      partitions.push(partition);
      hashes.push(hash);
      digests.push(digest);
      offsets.push(offset ?? 'NULL');
    }
  return [partitions, hashes, digests, offsets].map(plainArray);
};

/** Partitions and blocks of what has ended or failed. */
const blockColumns = (changes: readonly PartitionChanges[]): unknown[][] =>
  columns(
    changes.flatMap((each) => blocksOf(each).map((block) => ({ ...each, block }))),
    ({ partition }) => partition,
    ({ block }) => block,
  );

const duplicateColumns = (changes: readonly PartitionChanges[]): unknown[][] =>
  columns(
    ofPartitions(changes, ({ duplicates }) => duplicates),
    ({ partition }) => partition,
    ({ offset }) => offset,
    ({ hash }) => hash,
    ({ differs }) => differs,
    ({ atMs }) => atMs,
  );

/** The rows of delivery times, as array parameters. */
const timesColumns = (changes: readonly PartitionChanges[]): unknown[] => {
  const rows = entries(changes, ({ times }) => times);
  const ascending = rows.map(([, , { latencies }]) => [...latencies].sort(([a], [b]) => a - b));
  return [
    partitionsOf(rows),
    ...fieldsOf(rows, 2),
    rows.map(([, , { retries }]) => retries),
    ascending.map((row) => plainArray(row.map(([bucket]) => bucket))),
    ascending.map((row) => plainArray(row.map(([, count]) => count))),
  ];
};

/** The parameters of {@link ADVANCE}. */
export const advanceValues = (changes: readonly PartitionChanges[]): unknown[] => {
  const counts = entries(changes, countsOf);
  const bases = entries(changes, (each) => each.bases);
  const sources = entries(changes, (each) => each.sources);
  return [
    changes.map(({ partition }) => partition),
    changes.map(({ epoch }) => epoch),
    changes.map(({ sequence }) => sequence),
    changes.map(({ routed }) => routed),
    changes.map(({ mark }) => mark?.offset ?? null),
    changes.map(({ mark }) => mark?.timestampMs ?? null),
    changes.map(({ mark }) => mark?.crc ?? null),
    changes.map(({ repeatsFrom }) => repeatsFrom),
    changes.map(({ snapshot }) => snapshot !== null),
    changes.map(loggedChange),
    changes.map(({ outcomes }) => (outcomes.length === 0 ? null : packOutcomes(outcomes))),
    changes.map(({ attempts }) => (attempts.length === 0 ? null : packAttempts(attempts))),
    ...blockColumns(changes),
    partitionsOf(counts),
    ...fieldsOf(counts, 5),
    numbersOf(counts),
    partitionsOf(bases),
    ...fieldsOf(bases, 3),
    numbersOf(bases),
    ...messageColumns(changes),
    ...duplicateColumns(changes),
    partitionsOf(sources),
    ...fieldsOf(sources, 3),
    numbersOf(sources),
    ...timesColumns(changes),
  ];
};
