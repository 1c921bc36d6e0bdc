import { setImmediate as turn } from 'node:timers/promises';
import type { LogRecord } from '../message-log';
import { type QueueOptions, PartitionQueue } from './partition-queue';

const records = (...offsets: number[]): LogRecord[] =>
  offsets.map((offset) => ({ key: 'k', value: 'v', partition: 2, offset, timestampMs: 0 }));

const queueWith = (options: Partial<QueueOptions>, handle = () => Promise.resolve()) => {
  const moves: number[] = [];
  const batches: number[][] = [];
  const queue = new PartitionQueue({
    partition: 2,
    start: 10,
    maxRecords: 3,
    onBatch: (_, batch) => {
      batches.push(batch.map(({ offset }) => offset));
      return handle();
    },
    onMoved: ({ position }) => moves.push(position),
    onFault: () => undefined,
    ...options,
  });
  return { queue, moves, batches };
};

it('delivers at most maxRecords at a time, in order, and advances after each batch', async () => {
  const { queue, moves, batches } = queueWith({});
  queue.offer(records(10, 11, 12, 13), 14);
  queue.offer(records(14, 15), 16);
  await turn();
  expect(batches).toEqual([
    [10, 11, 12],
    [13, 14, 15],
  ]);
  expect(moves).toEqual([13, 16]);
});

it('finishes the batch in progress when it is stopped, and begins no other', async () => {
  let finish: () => void = () => undefined;
  const { queue, moves, batches } = queueWith(
    {},
    () => new Promise((resolve) => (finish = resolve)),
  );
  queue.offer(records(10, 11, 12, 13), 14);
  const stopped = queue.stop();
  finish();
  await stopped;
  queue.offer(records(14), 15);
  await turn();
  expect(batches).toEqual([[10, 11, 12]]);
  expect(moves).toEqual([13]);
});

it('advances past offsets removed by compaction, at the end too', async () => {
  const { queue, moves } = queueWith({ maxRecords: 1 });
  queue.offer(records(12, 17), 20);
  await turn();
  expect(moves).toEqual([17, 20]);
  queue.offer([], 25);
  expect(queue.position).toBe(25);
  expect(queue.nextFetch).toBe(25);
});

it('counts the bytes of unhandled records, including the batch in progress', async () => {
  let finish: () => void = () => undefined;
  const { queue } = queueWith({ onBatch: () => new Promise((resolve) => (finish = resolve)) });
  queue.offer(records(10), 11);
  expect(queue.bytes).toBeGreaterThan(2);
  finish();
  await turn();
  expect(queue.bytes).toBe(0);
});

it('stops during the pause after a rejection without advancing', async () => {
  const faults: unknown[] = [];
  const { queue, moves } = queueWith({
    onBatch: () => Promise.reject(new TypeError('no')),
    onFault: (_, error) => faults.push(error),
  });
  queue.offer(records(10), 11);
  await turn();
  await queue.stop();
  expect(faults).toEqual([new TypeError('no')]);
  expect(moves).toEqual([]);
  expect(queue.position).toBe(10);
});

it('delivers what is offered at the very moment at which a batch has ended', async () => {
  for (let ticks = 0; ticks < 20; ticks += 1) {
    const { queue, batches } = queueWith({});
    queue.offer(records(10), 11);
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    queue.offer(records(11), 12);
    await turn();
    expect({ ticks, delivered: batches.flat() }).toEqual({ ticks, delivered: [10, 11] });
  }
});
