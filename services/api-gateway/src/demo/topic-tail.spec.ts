import { LogUnavailable } from '@penstock/messaging';
import { MemoryLog } from '../testing/memory-log.fixture';
import { TopicTail } from './topic-tail';

const TOPIC = 'events';

const append = (log: MemoryLog, from: number, count: number) =>
  log.append(
    TOPIC,
    Array.from({ length: count }, (_, n) => ({ key: 'k', value: String(from + n) })),
  );

const valuesOf = async (tail: TopicTail) => (await tail.read()).map(({ value }) => Number(value));

it.each([
  [1, 0],
  [200, 0],
  [201, 1],
  [450, 250],
])('returns the newest of %d records from %d on', async (count, first) => {
  const log = new MemoryLog();
  await append(log, 0, count);
  const values = await valuesOf(new TopicTail(log, TOPIC));
  expect([values[0], values.at(-1), values.length]).toEqual([first, count - 1, count - first]);
});

it('returns each record once, and after a pause the newest ones', async () => {
  const log = new MemoryLog();
  const tail = new TopicTail(log, TOPIC);
  expect(await valuesOf(tail)).toEqual([]);
  await append(log, 0, 2);
  expect(await valuesOf(tail)).toEqual([0, 1]);
  expect(await valuesOf(tail)).toEqual([]);
  await append(log, 2, 300);
  expect((await valuesOf(tail))[0]).toBe(102);
});

it('reads slices until the end that the partition had', async () => {
  const log = new MemoryLog();
  await append(log, 0, 5);
  const offsets: number[] = [];
  const inSlices = {
    endOffsets: () => log.endOffsets(TOPIC),
    read: async (...[topic, partition, offset]: [string, number, number, number]) => {
      offsets.push(offset);
      const slice = await log.read(topic, partition, offset);
      return { ...slice, records: slice.records.slice(0, 2), next: Math.min(offset + 2, 5) };
    },
  };
  expect(await valuesOf(new TopicTail(inSlices, TOPIC))).toEqual([0, 1, 2, 3, 4]);
  expect(offsets).toEqual([0, 2, 4]);
});

it('returns the same records again after a failure', async () => {
  const log = new MemoryLog();
  const tail = new TopicTail(log, TOPIC);
  await append(log, 0, 2);
  log.failure = new LogUnavailable('away');
  await expect(tail.read()).rejects.toBe(log.failure);
  log.failure = undefined;
  expect(await valuesOf(tail)).toEqual([0, 1]);
});
