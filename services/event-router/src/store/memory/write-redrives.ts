import type { PartitionChanges, Redriven } from '../changes';
import { chosenKey, type MemoryDatabase } from './memory-database';
import type { MemoryPartition } from './memory-partition';

const writeRedriven = (
  database: MemoryDatabase,
  partition: MemoryPartition,
  number: number,
  redriven: Redriven,
): void => {
  const { job, version, attempts, endings } = redriven;
  const key = chosenKey(number, redriven);
  if (database.chosen.get(key)?.job === job) database.chosen.delete(key);
  database.countForJob(job, endings?.now.state ?? 'Filtered');
  const row = partition.row(redriven);
  if (row === undefined || endings === null) return;
  const { state } = endings.now;
  if (state !== 'Rejected' && state !== 'Parked') return partition.deleteRow(redriven);
  const all = row.delivery.attempts + attempts;
  const delivery = { ...row.delivery, version, attempts: all, ...endings.now, state };
  partition.setRow(delivery, database.nowMs());
};

/** Writes what redrives have ended and tried in a partition, and where cancelled ones have stopped. */
export const writeRedrives = (
  database: MemoryDatabase,
  partition: MemoryPartition,
  { partition: number, epoch, redriven, redriveTried, redrivesStopped }: PartitionChanges,
): void => {
  for (const each of redriven) writeRedriven(database, partition, number, each);
  for (const { job, attempts, dueMs, reason, ...key } of redriveTried) {
    const chosen = database.chosen.get(chosenKey(number, key));
    if (chosen?.job !== job) continue;
    database.chosen.set(chosenKey(number, key), { ...chosen, attempts, dueMs, reason });
  }
  for (const job of redrivesStopped) database.redriveStops.set(`${job}/${number}`, epoch);
};
