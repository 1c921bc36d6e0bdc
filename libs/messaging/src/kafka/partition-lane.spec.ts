import { setImmediate as turn } from 'node:timers/promises';
import type { LogRecord } from '../message-log';
import { type LaneOptions, PartitionLane } from './partition-lane';

const records = (...offsets: number[]): LogRecord[] =>
  offsets.map((offset) => ({ key: 'k', value: 'v', partition: 2, offset, timestampMs: 0 }));

const laneWith = (options: Partial<LaneOptions>, handle = () => Promise.resolve()) => {
  const moves: number[] = [];
  const batches: number[][] = [];
  const lane = new PartitionLane({
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
  return { lane, moves, batches };
};

it('hands out at most maxRecords at a time, in order, and moves behind each batch', async () => {
  const { lane, moves, batches } = laneWith({});
  lane.offer(records(10, 11, 12, 13), 14);
  lane.offer(records(14, 15), 16);
  await turn();
  expect(batches).toEqual([
    [10, 11, 12],
    [13, 14, 15],
  ]);
  expect(moves).toEqual([13, 16]);
});

it('ends the batch in hand when it is stopped, and begins no other', async () => {
  let finish: () => void = () => undefined;
  const { lane, moves, batches } = laneWith({}, () => new Promise((resolve) => (finish = resolve)));
  lane.offer(records(10, 11, 12, 13), 14);
  const stopped = lane.stop();
  finish();
  await stopped;
  lane.offer(records(14), 15);
  await turn();
  expect(batches).toEqual([[10, 11, 12]]);
  expect(moves).toEqual([13]);
});

it('moves over what compaction has left out, at the end too', async () => {
  const { lane, moves } = laneWith({ maxRecords: 1 });
  lane.offer(records(12, 17), 20);
  await turn();
  expect(moves).toEqual([17, 20]);
  lane.offer([], 25);
  expect(lane.position).toBe(25);
  expect(lane.nextFetch).toBe(25);
});

it('holds the bytes of what has not been handled, the batch in hand too', async () => {
  let finish: () => void = () => undefined;
  const { lane } = laneWith({ onBatch: () => new Promise((resolve) => (finish = resolve)) });
  lane.offer(records(10), 11);
  expect(lane.bytes).toBeGreaterThan(2);
  finish();
  await turn();
  expect(lane.bytes).toBe(0);
});

it('stops in the pause after a rejection without moving', async () => {
  const faults: unknown[] = [];
  const { lane, moves } = laneWith({
    onBatch: () => Promise.reject(new TypeError('no')),
    onFault: (_, error) => faults.push(error),
  });
  lane.offer(records(10), 11);
  await turn();
  await lane.stop();
  expect(faults).toEqual([new TypeError('no')]);
  expect(moves).toEqual([]);
  expect(lane.position).toBe(10);
});
