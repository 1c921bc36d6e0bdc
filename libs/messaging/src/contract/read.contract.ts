import { setTimeout as sleep } from 'node:timers/promises';
import type { LogSlice } from '../log-slice';
import { LogUnavailable, type LogRecord, type MessageLog } from '../message-log';
import { fresh, freshTopic, keyIn, type LogHarness, numbered, opener } from './log-harness';
import { Recorder } from './recorder';
import { until } from './until';

const HOUR_MS = 3_600_000;
const MIB = 1_048_576;

/** Reads slices up to the end, as a reader that catches up does. */
const readOn = async (
  log: MessageLog,
  topic: string,
  { partition = 0, from = 0, maxBytes = MIB } = {},
): Promise<readonly LogSlice[]> => {
  const slices: LogSlice[] = [];
  for (let next = from; ;) {
    const slice = await log.read(topic, partition, next, maxBytes);
    slices.push(slice);
    if (slice.next >= slice.end) return slices;
    expect(slice.next).toBeGreaterThan(next);
    next = slice.next;
  }
};

const recordsOf = (slices: readonly LogSlice[]): readonly LogRecord[] =>
  slices.flatMap(({ records }) => records);

export const itReadsStretches = (harness: LogHarness): void => {
  const open = opener(harness);
  afterEach(() => harness.outage.end());

  const topicOfTen = async () => {
    const log = await open();
    const topic = await freshTopic(log, 2);
    const append = (values: readonly (string | null)[], partition = 0) =>
      log.append(
        topic,
        values.map((value) => ({ key: keyIn(partition, 2), value })),
      );
    for (const value of numbered(0, 9)) await append([value]);
    return { log, topic, append };
  };
  const valuesOf = ({ records }: LogSlice) => records.map(({ value }) => value);

  it('reads from the beginning, the middle, the end and beyond', async () => {
    const { log, topic } = await topicOfTen();
    const range = { begin: 0, end: 10 };

    const all = await log.read(topic, 0, 0, MIB);
    expect(all).toEqual({ ...range, next: 10, records: all.records });
    expect(valuesOf(all)).toEqual(numbered(0, 9));
    expect(all.records[3]).toEqual({
      partition: 0,
      offset: 3,
      key: keyIn(0, 2),
      value: '3',
      timestampMs: expect.any(Number) as number,
    });
    const middle = await log.read(topic, 0, 4, MIB);
    expect(middle).toEqual({ ...range, next: 10, records: all.records.slice(4) });
    expect(await log.read(topic, 0, 10, MIB)).toEqual({ ...range, next: 10, records: [] });
    expect(await log.read(topic, 0, 15, MIB)).toEqual({ ...range, next: 15, records: [] });
    const empty = { records: [], next: 0, begin: 0, end: 0 };
    expect(await log.read(topic, 1, 0, MIB)).toEqual(empty);
    expect(await log.read(topic, 1, 2, MIB)).toEqual({ ...empty, next: 2 });
  });

  it('reads what was just appended', async () => {
    const { log, topic } = await topicOfTen();
    const other = await open();
    for (const value of numbered(10, 60)) {
      const [position] = await other.append(topic, [{ key: keyIn(0, 2), value }]);
      const slice = await log.read(topic, 0, position?.offset ?? 0, MIB);
      expect(valuesOf(slice)).toEqual([value]);
    }
  });

  it('reads no more than maxBytes, and always the first record', async () => {
    const { log, topic, append } = await topicOfTen();
    const sizes = [1_000, 1_000, 1_000, 0, 5_000, 1_000];
    await append(sizes.map((size) => 'x'.repeat(size)));
    const read = async (maxBytes: number, offset = 10) => {
      const slice = await log.read(topic, 0, offset, maxBytes);
      expect(slice.next).toBe(offset + slice.records.length);
      expect(slice).toMatchObject({ begin: 0, end: 16 });
      return slice.records.length;
    };

    expect(await read(0)).toBe(1);
    expect(await read(1)).toBe(1);
    expect(await read(1_999)).toBe(1);
    expect(await read(2_000)).toBe(2);
    expect(await read(3_000)).toBe(4);
    expect(await read(4_999, 14)).toBe(1);
    expect(await read(8_999)).toBe(5);
    expect(await read(9_000)).toBe(6);
  });

  it('reads everything by following `next`: large values, empty ones, tombstones', async () => {
    const { log, topic, append } = await topicOfTen();
    const values = [
      ...numbered(10, 120).map((value) => value.padEnd(Number(value) * 60, '.')),
      ...numbered(1, 20).map(() => null),
      'y'.repeat(900_000),
      '',
      ...numbered(1, 20),
    ];
    for (let from = 0; from < values.length; from += 40)
      await append(values.slice(from, from + 40));

    for (const maxBytes of [0, 10_000, 300_000]) {
      const slices = await readOn(log, topic, { maxBytes });
      const records = recordsOf(slices);
      expect(records.map(({ value }) => value)).toEqual([...numbered(0, 9), ...values]);
      expect(records.map(({ offset }) => offset)).toEqual(records.map((_, index) => index));
    }
    expect((await readOn(log, topic, { maxBytes: 300_000 })).length).toBeLessThan(20);
  });

  it('reads many records in few slices', async () => {
    const { log, topic, append } = await topicOfTen();
    await append(numbered(10, 10_009));

    const slices = await readOn(log, topic, { maxBytes: 16 * MIB });

    expect(recordsOf(slices).map(({ value }) => value)).toEqual(numbered(0, 10_009));
    expect(slices.length).toBeLessThan(24);
  });

  it('runs several reads at once, beside live readers, which miss nothing', async () => {
    const { log, topic, append } = await topicOfTen();
    for (const partition of [0, 1])
      await append(
        numbered(1, 200).map((value) => value.padEnd(2_000, '.')),
        partition,
      );
    const recorder = new Recorder();
    const live = await log.readPartitions({ topic, onBatch: recorder.onBatch });
    live.start(0, 210);
    live.start(1, 200);

    const reads = Array.from({ length: 40 }, (_, index) =>
      readOn(log, topic, { partition: index % 2, from: index, maxBytes: 50_000 }),
    );
    for (const value of numbered(1, 20)) {
      await append([value], 0);
      await append([value], 1);
    }
    for (const [index, slices] of (await Promise.all(reads)).entries()) {
      const records = recordsOf(slices);
      expect(records.every(({ partition }) => partition === index % 2)).toBe(true);
      expect(records.map(({ offset }) => offset)).toEqual(records.map((_, nth) => index + nth));
      expect(records.length).toBeGreaterThanOrEqual((index % 2 ? 200 : 210) - index);
    }
    await recorder.untilSeen(40);
    expect(recorder.records).toHaveLength(40);
  });

  it('reads from the beginning when its offset has been dropped, and reports the beginning', async () => {
    const log = await open();
    const topic = await freshTopic(log, 2, HOUR_MS);
    const append = (value: string) => log.append(topic, [{ key: keyIn(0, 2), value }]);
    for (const value of numbered(0, 4)) await append(value);
    await harness.drop(log, topic);

    const empty = { records: [], next: 5, begin: 5, end: 5 };
    expect(await log.read(topic, 0, 0, MIB)).toEqual(empty);
    expect(await log.read(topic, 0, 5, MIB)).toEqual(empty);
    expect(await log.read(topic, 0, 7, MIB)).toEqual({ ...empty, next: 7 });
    expect(await log.beginningOffsets(topic)).toEqual([5, 0]);
    await append('5');
    const slice = await log.read(topic, 0, 1, MIB);
    expect(slice).toMatchObject({ next: 6, begin: 5, end: 6 });
    expect(valuesOf(slice)).toEqual(['5']);
  });

  it('returns consistent slices while old records are dropped', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1, HOUR_MS);
    let isOver = false;
    const readers = [0, 1].map(async () => {
      let [begin, end] = [0, 0];
      while (!isOver) {
        const slice = await log.read(topic, 0, begin, 100);
        expect(slice.begin).toBeGreaterThanOrEqual(begin);
        expect(slice.end).toBeGreaterThanOrEqual(end);
        expect(slice.next).toBeGreaterThanOrEqual(slice.begin);
        if (slice.records.length === 0) expect(slice.next).toBe(slice.end);
        else expect(slice.records[0]?.offset).toBe(Math.max(begin, slice.begin));
        for (const { offset, value } of slice.records) expect(value).toBe(String(offset));
        [begin, end] = [slice.begin, slice.end];
        await sleep(1);
      }
      return begin;
    });
    let dropped = 0;
    for (let value = 0; value < 120; value += 1) {
      await log.append(topic, [{ key: 'k', value: String(value) }]);
      if (value % 30 !== 29) continue;
      await harness.drop(log, topic);
      dropped = value + 1;
      const [begin = 0] = await log.beginningOffsets(topic);
      expect(begin).toBeGreaterThanOrEqual(dropped);
    }
    await sleep(200);
    isOver = true;
    expect(await Promise.all(readers)).toEqual([dropped, dropped]);
  });

  it('skips offsets that compaction has removed', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1, 'compact');
    for (const value of numbered(0, 29)) {
      const key = `key-${Number(value) % 3}`;
      await log.append(topic, [{ key, value }]);
    }
    await log.append(topic, [{ key: 'last', value: 'last' }]);
    await harness.compact(log, topic);

    const records = recordsOf(await readOn(log, topic));
    const latest = new Map(records.map(({ key, value }) => [key, value]));
    expect(Object.fromEntries(latest)).toEqual({
      'key-0': '27',
      'key-1': '28',
      'key-2': '29',
      last: 'last',
    });
    for (let from = 0; from <= 30; from += 1) {
      const { records: rest, next } = await log.read(topic, 0, from, 0);
      const first = records.find(({ offset }) => offset >= from);
      expect(rest).toEqual([first]);
      expect(next).toBe((first?.offset ?? 0) + 1);
    }
  });

  it('refuses topics, partitions and offsets that do not exist', async () => {
    const { log, topic } = await topicOfTen();
    const nowhere = fresh('topic');
    for (const partition of [-1, 2, 0.5])
      await expect(log.read(topic, partition, 0, MIB)).rejects.toThrow(RangeError);
    for (const offset of [-1, 0.5, NaN])
      await expect(log.read(topic, 0, offset, MIB)).rejects.toThrow(RangeError);
    await expect(log.read(nowhere, 0, 0, MIB)).rejects.toThrow(nowhere);
    expect(await log.read(topic, 0, 9, MIB)).toMatchObject({ next: 10 });
  });

  it('rejects within seconds during an outage, and reads again afterwards', async () => {
    const { log, topic } = await topicOfTen();
    await log.read(topic, 0, 0, MIB);
    await harness.outage.begin();
    const startMs = Date.now();
    const reads = Array.from({ length: 12 }, (_, offset) => log.read(topic, 0, offset, MIB));
    for (const outcome of await Promise.allSettled(reads))
      expect(outcome).toHaveProperty('reason', expect.any(LogUnavailable));
    expect(Date.now() - startMs).toBeLessThan(20_000);
    await harness.outage.end();
    let slice: LogSlice | undefined;
    await until('a read', async () => {
      slice = await log.read(topic, 0, 8, MIB).catch(() => undefined);
      return slice !== undefined;
    });
    expect(slice?.records.map(({ value }) => value)).toEqual(['8', '9']);
  });
};
