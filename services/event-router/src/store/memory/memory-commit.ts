import { countsOf, type DeliveryKey, type PartitionChanges, type StoredDelivery } from '../changes';
import { cleanText } from '../clean-text';
import { containedAudiences, missingAudience } from '../referred-audiences';
import { CommitRefused, CommitsMissing } from '../router-store';
import { addCounts, addTimes } from './memory-counts';
import type { MemoryDatabase } from './memory-database';
import { MemoryPartition } from './memory-partition';
import { writeRedrives } from './write-redrives';
import { writeReplays } from './write-replays';

const MAX_INTEGER = 2 ** 31 - 1;

const isRefused = (
  database: MemoryDatabase,
  partition: MemoryPartition,
  delivery: StoredDelivery,
): boolean =>
  delivery.version > MAX_INTEGER ||
  delivery.attempts > MAX_INTEGER ||
  partition.row(delivery) !== undefined ||
  database.refuses(delivery);

/** The stored rows that the database refuses, each checked by itself. */
export const refusedInMemory = (
  database: MemoryDatabase,
  { partition, stored }: PartitionChanges,
): DeliveryKey[] =>
  stored
    .filter((delivery) => isRefused(database, database.partition(partition), delivery))
    .map(({ offset, pipeline }) => ({ offset, pipeline }));

const writeRows = (
  partition: MemoryPartition,
  { stored, postponed, settled }: PartitionChanges,
  nowMs: number,
): void => {
  for (const delivery of stored) partition.setRow(delivery, nowMs);
  for (const each of postponed) {
    const row = partition.row(each);
    if (row !== undefined) partition.setRow({ ...row.delivery, ...each }, nowMs);
  }
  for (const { ending, ...key } of settled) {
    const row = partition.row(key);
    if (row === undefined) continue;
    const { state } = ending;
    if (state === 'Rejected' || state === 'Parked')
      partition.setRow({ ...row.delivery, ...ending, state }, nowMs);
    else partition.deleteRow(key);
  }
};

const writeProgress = (partition: MemoryPartition, changes: PartitionChanges): void => {
  const { routed, repeatsFrom, snapshot } = changes;
  partition.sequence = changes.sequence;
  partition.routed = routed;
  partition.mark = changes.mark ?? partition.mark;
  partition.open.apply(
    snapshot === null
      ? { isSnapshot: false, open: changes.open, closed: changes.closed }
      : { isSnapshot: true, open: snapshot, closed: [] },
  );
  for (const cursor of changes.cursors)
    partition.cursors.set(MemoryPartition.cursorKey(cursor), cursor);
  for (const cursor of changes.droppedCursors)
    partition.cursors.delete(MemoryPartition.cursorKey(cursor));
  for (const repeat of changes.repeats)
    if (!partition.repeats.has(repeat.offset)) partition.repeats.set(repeat.offset, repeat);
  for (const offset of partition.repeats.keys())
    if (offset < repeatsFrom) partition.repeats.delete(offset);
  partition.finishedBeyond = partition.finishedBeyond.filter(({ end }) => end > routed);
  partition.storedBeyond = partition.storedBeyond.filter(({ offset }) => offset >= routed);
};

const write = (database: MemoryDatabase, changes: PartitionChanges): void => {
  const { partition: number, unreadable, outcomes } = changes;
  const partition = database.partition(number);
  const writtenMs = database.nowMs();
  writeProgress(partition, changes);
  writeRows(partition, changes, writtenMs);
  writeRedrives(database, partition, changes);
  writeReplays(database, changes);
  addCounts(database.counters, countsOf(changes));
  addCounts(database.bases, changes.bases);
  addCounts(database.sources, changes.sources);
  addTimes(database.times, changes.times);
  for (const [hash, message] of changes.messages)
    database.messages.set(hash, { ...message, partition: number, writtenMs });
  for (const each of changes.duplicates)
    database.duplicates.push({ ...each, partition: number, writtenMs });
  for (const each of changes.attempts)
    database.attempts.push({
      ...each,
      reason: cleanText(each.reason),
      partition: number,
      writtenMs,
    });
  for (const record of unreadable)
    if (
      !database.unreadable.some(
        (it) =>
          it.partition === number && it.offset === record.offset && it.reason === record.reason,
      )
    )
      database.unreadable.push({ ...record, partition: number, writtenMs });
  database.record(changes, outcomes);
};

/** Writes the audiences that are referred to, unless they are there. @throws Error when one is not contained. */
const writeAudiences = (database: MemoryDatabase, changes: readonly PartitionChanges[]): void => {
  const contained = containedAudiences(changes);
  for (const { bases } of changes)
    for (const key of bases.keys()) {
      const id = key.slice(0, key.indexOf('|'));
      if (database.audiences.has(id)) continue;
      const audience = contained.get(id);
      if (audience === undefined) throw missingAudience(id);
      database.audiences.set(id, { ...audience, writtenMs: database.nowMs() });
    }
};

const isStoredTwice = ({ stored }: PartitionChanges): boolean =>
  new Set(stored.map(({ offset, pipeline }) => `${offset}/${pipeline}`)).size < stored.length;

/** Whether the commit is new. @throws CommitsMissing */
const isNext = (partition: MemoryPartition, { partition: number, sequence }: PartitionChanges) => {
  if (sequence === partition.sequence) return false;
  if (sequence === partition.sequence + 1) return true;
  throw new CommitsMissing(number, sequence, partition.sequence);
};

/**
 * Applies the commits. @returns the partitions that have another owner.
 * @throws CommitRefused
 */
export const commitInMemory = (
  database: MemoryDatabase,
  changes: readonly PartitionChanges[],
): number[] => {
  const lost: number[] = [];
  const next: PartitionChanges[] = [];
  for (const each of changes) {
    const partition = database.partition(each.partition);
    if (partition.epoch !== each.epoch) lost.push(each.partition);
    else if (isNext(partition, each)) next.push(each);
  }
  for (const each of next)
    if (isStoredTwice(each) || refusedInMemory(database, each).length > 0)
      throw new CommitRefused('the database refuses values of a commit');
  writeAudiences(database, next);
  for (const each of next) write(database, each);
  return lost;
};
