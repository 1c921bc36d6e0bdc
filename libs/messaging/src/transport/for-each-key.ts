import type { LogRecord } from '../message-log';

/**
 * Handles the records of one key in order, those of different keys at the same time. The rest of a key that has
 * failed is left; the other keys go on.
 *
 * @param concurrency keys at the same time at most, 1 or more.
 * @throws what the first failing record threw, once all keys are through.
 */
export const forEachKey = async (
  records: readonly LogRecord[],
  concurrency: number,
  handle: (record: LogRecord) => Promise<void>,
): Promise<void> => {
  const queues = new Map<string, LogRecord[]>();
  for (const record of records) {
    const queue = queues.get(record.key);
    if (queue) queue.push(record);
    else queues.set(record.key, [record]);
  }
  const waiting = queues.values();
  const failures: unknown[] = [];
  const work = async () => {
    for (const queue of waiting)
      try {
        for (const record of queue) await handle(record);
      } catch (error) {
        failures.push(error);
      }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, queues.size) }, work));
  if (failures.length > 0) throw failures[0];
};
