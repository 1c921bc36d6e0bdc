import { isDeepStrictEqual } from 'node:util';
import type { PipelineId } from '@penstock/contracts';
import { countKey, timesKey } from '../changes';
import { EXPIRED, expired } from '../expired';
import type { RecordedLog } from '../router-store';
import { addTimes } from './memory-counts';
import type { MemoryDatabase } from './memory-database';
import { MemoryReplayDeliveries } from './memory-replay-deliveries';

/** The log that the progress belongs to; records `identity` when there is none yet. */
export const recordLogInMemory = (database: MemoryDatabase, identity: string): RecordedLog => {
  database.log ??= identity;
  const partitions = database.partitions.map(([partition, { routed, mark }]) => ({
    partition,
    routed,
    mark,
  }));
  return { identity: database.log, partitions };
};

/**
 * Lets every partition begin in another log, at its offset in `routed`, or at 0.
 *
 * @returns false: `before` is outdated.
 */
export const beginAnewInMemory = (
  database: MemoryDatabase,
  before: RecordedLog,
  identity: string,
  routed: readonly number[],
): boolean => {
  if (!isDeepStrictEqual(recordLogInMemory(database, identity), before)) return false;
  forget(database, routed);
  new MemoryReplayDeliveries(database).fail();
  database.log = identity;
  return true;
};

const forget = (database: MemoryDatabase, routed: readonly number[]): void => {
  const { counters, unreadable } = database;
  database.attempts = [];
  database.duplicates = [];
  for (const number of routed.keys()) database.partition(number);
  for (const [number, partition] of database.partitions) {
    const open = partition.open.list();
    database.record(
      { partition: number, epoch: partition.epoch + 1, sequence: 0 },
      expired(open, database.nowMs()),
    );
    const expire = (pipeline: PipelineId, count: number): void => {
      const key = countKey(pipeline, EXPIRED, database.nowMs());
      counters.set(key, (counters.get(key) ?? 0) + count);
    };
    for (const { pipeline, attempts } of open) {
      expire(pipeline, 1);
      const times = { retries: Math.max(0, attempts - 1), latencies: new Map() };
      addTimes(database.times, new Map([[timesKey(pipeline, database.nowMs()), times]]));
    }
    for (const { owed } of partition.cursors.values())
      for (const [pipeline, count] of owed) expire(pipeline, count);
    const offsets = [
      ...partition.rows.map(({ delivery }) => delivery.offset),
      ...unreadable.filter((it) => it.partition === number).map(({ offset }) => offset),
    ];
    const last = Math.max(-1, ...offsets);
    const by = last < 0 ? 0 : last - Math.min(0, ...offsets) + 1;
    partition.beginAnew(routed[number] ?? 0, by);
    database.lowerChosen(number, by);
    database.unreadable = database.unreadable.map((record) =>
      record.partition === number ? { ...record, offset: record.offset - by } : record,
    );
  }
};
