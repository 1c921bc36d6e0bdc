import type { PartitionChanges, ReplayStep } from '../changes';
import type { MemoryDatabase, MemoryReplay } from './memory-database';

const openOf = (
  { open }: MemoryReplay,
  partition: number,
): Map<number, ReplayStep['opened'][number]> => {
  const known = open.get(partition) ?? new Map<number, ReplayStep['opened'][number]>();
  open.set(partition, known);
  return known;
};

/** Writes what replays have read, opened, tried and ended. */
export const writeReplays = (
  database: MemoryDatabase,
  { partition, replayed }: PartitionChanges,
): void => {
  for (const { job, position, opened, tried, ended, failures, counts } of replayed) {
    const replay = database.replays.get(job);
    if (replay === undefined) continue;
    const open = openOf(replay, partition);
    replay.positions.set(partition, position);
    for (const offset of ended) open.delete(offset);
    for (const each of tried) {
      const before = open.get(each.offset);
      if (before !== undefined) open.set(each.offset, { ...before, ...each });
    }
    for (const each of opened) open.set(each.offset, each);
    for (const each of failures) replay.failures.push({ ...each, partition });
    for (const [name, count] of counts) database.countForJob(job, name, count);
  }
};
