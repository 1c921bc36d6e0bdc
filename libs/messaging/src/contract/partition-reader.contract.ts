import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshTopic, keyIn, type LogHarness, numbered, opener } from './log-harness';
import { Recorder } from './recorder';
import { until } from './until';

const HOUR_MS = 3_600_000;

export const itReadsSinglePartitions = (harness: LogHarness): void => {
  const open = opener(harness);
  afterEach(() => harness.outage.end());

  const topicOfTen = async (retention: 'forever' | number = 'forever') => {
    const log = await open();
    const topic = await freshTopic(log, 3, retention);
    const append = (values: readonly string[], partitions = [0, 1, 2]) =>
      log.append(
        topic,
        values.flatMap((value) => partitions.map((p) => ({ key: keyIn(p, 3), value }))),
      );
    await append(numbered(0, 9));
    return { log, topic, append };
  };
  const offsetsOf = ({ records }: Recorder, partition: number) =>
    records.filter((record) => record.partition === partition).map(({ offset }) => offset);
  const offsets = (first: number, last: number) => numbered(first, last).map(Number);

  it('reads the started partitions, each from its offset to the end and on', async () => {
    const { log, topic, append } = await topicOfTen();
    const recorder = new Recorder();
    const reader = await log.readPartitions({ topic, maxRecords: 3, onBatch: recorder.onBatch });

    await sleep(300);
    expect(recorder.records).toEqual([]);
    reader.start(0, 4);
    await recorder.untilSeen(6);
    reader.start(2, 10);
    await append(numbered(10, 19));
    await recorder.untilSeen(26);

    expect(offsetsOf(recorder, 0)).toEqual(offsets(4, 19));
    expect(offsetsOf(recorder, 1)).toEqual([]);
    expect(offsetsOf(recorder, 2)).toEqual(offsets(10, 19));
    expect(recorder.batches.every(({ records }) => records.length <= 3)).toBe(true);
    expect(recorder.records[0]).toEqual({
      partition: 0,
      offset: 4,
      key: keyIn(0, 3),
      value: '4',
      timestampMs: expect.any(Number) as number,
    });
  });

  it('moves a partition back and forth, without affecting others', async () => {
    const { log, topic, append } = await topicOfTen();
    const recorder = new Recorder();
    const reader = await log.readPartitions({ topic, onBatch: recorder.onBatch });
    reader.start(0, 0);
    reader.start(1, 8);
    await recorder.untilSeen(12);

    reader.start(0, 7);
    await recorder.untilSeen(15);
    reader.start(0, 10);
    await append(['10']);
    await recorder.untilSeen(17);
    await sleep(300);

    expect(offsetsOf(recorder, 0)).toEqual([...offsets(0, 9), 7, 8, 9, 10]);
    expect(offsetsOf(recorder, 1)).toEqual([8, 9, 10]);
  });

  it('waits, when stopped, for the batch in progress, aborts its signal, and delivers nothing more', async () => {
    const { log, topic, append } = await topicOfTen();
    const seen: number[] = [];
    let isSignalled = false;
    let hasEnded = false;
    const reader = await log.readPartitions({
      topic,
      maxRecords: 2,
      onBatch: async (_, records, leaving) => {
        seen.push(...records.map(({ offset }) => offset));
        if (!leaving.aborted) await once(leaving, 'abort');
        isSignalled = true;
        await sleep(200);
        hasEnded = true;
      },
    });
    reader.start(0, 3);
    await until('a batch', () => seen.length > 0);
    expect(isSignalled).toBe(false);

    await reader.stop(0);
    expect(hasEnded).toBe(true);
    await append(['10']);
    await sleep(500);
    expect(seen).toEqual([3, 4]);
    await Promise.all([reader.stop(0), reader.stop(1)]);

    reader.start(0, 5);
    await until('another batch', () => seen.length > 2);
    expect(seen).toEqual([3, 4, 5, 6]);
  });

  it('lets repeated stops wait for the same batch, also when the partition is started between them', async () => {
    const { log, topic } = await topicOfTen();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const events: string[] = [];
    const reader = await log.readPartitions({
      topic,
      maxRecords: 1,
      onBatch: async (_, [record], leaving) => {
        events.push(`begin ${record?.offset}`);
        if (record?.offset === 0) await held;
        events.push(`end ${record?.offset}`);
        if (!leaving.aborted && record?.offset === 6) await once(leaving, 'abort');
      },
    });
    reader.start(0, 0);
    await until('a batch', () => events.length === 1);

    const stops = [reader.stop(0), reader.stop(0)];
    reader.start(0, 4);
    stops.push(reader.stop(0));
    reader.start(0, 6);
    void Promise.all(stops).then(() => events.push('stopped'));
    await sleep(300);
    expect(events).toEqual(['begin 0']);
    release();
    await until('the next batch', () => events.includes('end 6'));

    expect(events.filter((event) => event !== 'stopped')).toEqual([
      'begin 0',
      'end 0',
      'begin 6',
      'end 6',
    ]);
    await until('the stops', () => events.includes('stopped'));
  });

  it('moves away from a batch that fails or waits, and delivers nothing from before the move', async () => {
    const { log, topic } = await topicOfTen();
    const seen: number[] = [];
    const reader = await log.readPartitions({
      topic,
      maxRecords: 2,
      onBatch: async (partition, records, leaving) => {
        seen.push(...records.map(({ offset }) => offset));
        if (partition === 0 && records[0]?.offset === 0) throw new TypeError('never');
        if (records[0]?.offset !== 8) await once(leaving, 'abort');
        if (leaving.aborted) throw leaving.reason;
      },
    });
    reader.start(0, 0);
    await until('a second try', () => seen.length >= 4);
    reader.start(0, 2);
    await until('a batch that waits', () => seen.includes(3));
    reader.start(0, 8);
    await until('the end', () => seen.includes(9));
    await sleep(300);

    expect(new Set(seen.slice(0, -4))).toEqual(new Set([0, 1]));
    expect(seen.slice(-4)).toEqual([2, 3, 8, 9]);
  });

  it('redelivers a rejected batch before the next', async () => {
    const { log, topic } = await topicOfTen();
    const recorder = new Recorder();
    let failures = 0;
    const reader = await log.readPartitions({
      topic,
      maxRecords: 5,
      onBatch: async (partition, records) => {
        await recorder.onBatch(partition, records);
        failures += 1;
        if (failures <= 2) throw new Error('once more');
      },
    });
    reader.start(1, 0);
    await recorder.untilSeen(20);

    const first = offsets(0, 4);
    expect(offsetsOf(recorder, 1)).toEqual([...first, ...first, ...first, ...offsets(5, 9)]);
  });

  it('lets no partition wait for the handler of another', async () => {
    const { log, topic, append } = await topicOfTen();
    const recorder = new Recorder();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const reader = await log.readPartitions({
      topic,
      onBatch: async (partition, records) => {
        await recorder.onBatch(partition, records);
        if (partition === 0) await held;
      },
    });
    for (const partition of [0, 1]) reader.start(partition, 0);
    await until('both', () => new Set(recorder.batches.map((b) => b.partition)).size === 2);

    for (const value of numbered(10, 14)) await append([value]);
    await until('the free partition', () => offsetsOf(recorder, 1).length === 15);
    reader.start(2, 12);
    await until('one that was started meanwhile', () => offsetsOf(recorder, 2).length === 3);
    expect(offsetsOf(recorder, 0).length).toBeLessThan(15);
    release();
    await until('the held partition', () => offsetsOf(recorder, 0).length === 15);
  });

  it('reads from the beginning when its offset has been dropped', async () => {
    const { log, topic, append } = await topicOfTen(HOUR_MS);
    await harness.drop(log, topic);
    await append(numbered(10, 12));
    const recorder = new Recorder();
    const reader = await log.readPartitions({ topic, onBatch: recorder.onBatch });

    reader.start(0, 2);
    reader.start(1, 11);
    await recorder.untilSeen(5);

    expect(offsetsOf(recorder, 0)).toEqual([10, 11, 12]);
    expect(offsetsOf(recorder, 1)).toEqual([11, 12]);
  });

  it('continues after records that are dropped while it waits at the end', async () => {
    const { log, topic, append } = await topicOfTen(HOUR_MS);
    const recorder = new Recorder();
    const reader = await log.readPartitions({ topic, onBatch: recorder.onBatch });
    reader.start(0, 0);
    await recorder.untilSeen(10);

    await harness.drop(log, topic);
    await append(['10']);
    await recorder.untilSeen(11);

    expect(offsetsOf(recorder, 0)).toEqual(offsets(0, 10));
  });

  it('misses nothing that is appended after a drop, while drops and appends overlap', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1, HOUR_MS);
    const recorder = new Recorder();
    const reader = await log.readPartitions({
      topic,
      maxRecords: 7,
      onBatch: recorder.onBatch,
    });
    reader.start(0, 0);
    const append = async (values: readonly string[]) => {
      for (const value of values) await log.append(topic, [{ key: 'k', value }]);
    };
    const kept: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      const name = (kind: string) => numbered(1, 8).map((nth) => `${kind} ${round} ${nth}`);
      await Promise.all([append(name('during')), harness.drop(log, topic)]);
      const after = name('after');
      await append(after);
      kept.push(...after);
      await until(`round ${round}`, () => recorder.values.includes(after.at(-1) ?? ''));
    }

    expect(recorder.values.filter((value) => value?.startsWith('after'))).toEqual(kept);
    const seen = offsetsOf(recorder, 0);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  });

  it('waits at an offset above the end, and never goes back', async () => {
    const { log, topic, append } = await topicOfTen();
    const recorder = new Recorder();
    const reader = await log.readPartitions({ topic, onBatch: recorder.onBatch });
    reader.start(0, 13);
    await append(['10']);
    await sleep(700);
    expect(recorder.records).toEqual([]);

    await append(numbered(11, 15));
    await recorder.untilSeen(3);
    await sleep(300);

    expect(offsetsOf(recorder, 0)).toEqual([13, 14, 15]);
  });

  it('resumes by itself after an outage, with the partitions started, moved and stopped meanwhile', async () => {
    const { log, topic, append } = await topicOfTen();
    const recorder = new Recorder();
    const reader = await log.readPartitions({ topic, onBatch: recorder.onBatch });
    for (const partition of [0, 1]) reader.start(partition, 0);
    await recorder.untilSeen(20);

    await harness.outage.begin();
    await sleep(500);
    reader.start(0, 5);
    await reader.stop(1);
    reader.start(2, 8);
    await sleep(1_500);
    await harness.outage.end();
    await until('an append', () =>
      append(['10']).then(
        () => true,
        () => false,
      ),
    );
    await until('all', () => offsetsOf(recorder, 0).length >= 16);
    await until('all', () => offsetsOf(recorder, 2).length >= 3);

    expect(offsetsOf(recorder, 0).slice(0, 16)).toEqual([...offsets(0, 9), ...offsets(5, 10)]);
    expect(offsetsOf(recorder, 1)).toEqual(offsets(0, 9));
    expect(offsetsOf(recorder, 2).slice(0, 3)).toEqual([8, 9, 10]);
  });

  it('delivers after each start exactly the records that follow, in any mix of starts and stops', async () => {
    const { log, topic, append } = await topicOfTen();
    const next: (number | undefined)[] = [undefined, undefined, undefined];
    const atWork = new Set<number>();
    const faults: string[] = [];
    const reader = await log.readPartitions({
      topic,
      maxRecords: 4,
      onBatch: async (partition, records, leaving) => {
        if (atWork.has(partition)) faults.push(`two batches of ${partition}`);
        if (leaving.aborted) faults.push(`a batch of ${partition} that is leaving`);
        atWork.add(partition);
        for (const { offset } of records) {
          if (offset !== next[partition]) faults.push(`${offset}, not ${next[partition]}`);
          next[partition] = offset + 1;
        }
        await sleep(Math.random() * 10);
        atWork.delete(partition);
      },
    });
    let end = 10;
    for (let step = 0; step < 150; step += 1) {
      const partition = step % 3;
      if (Math.random() < 0.6) {
        const offset = Math.floor(Math.random() * (end + 3));
        reader.start(partition, offset);
        next[partition] = offset;
      } else if (Math.random() < 0.5) {
        next[partition] = undefined;
        await reader.stop(partition);
        if (atWork.has(partition)) faults.push(`${partition} was stopped in a batch`);
      } else await append([String((end += 1) - 1)]);
      await sleep(Math.random() * 20);
    }
    [0, 1, 2].forEach((partition) => {
      reader.start(partition, partition * 2);
      next[partition] = partition * 2;
    });
    await until(`the end ${end}`, () => next.every((offset) => offset === end));

    expect(faults).toEqual([]);
  });

  it('refuses topics, partitions and offsets that do not exist', async () => {
    const { log, topic } = await topicOfTen();
    const reader = await log.readPartitions({ topic, onBatch: () => Promise.resolve() });
    for (const partition of [-1, 3, 0.5, NaN])
      expect(() => {
        reader.start(partition, 0);
      }).toThrow(RangeError);
    for (const offset of [-1, 0.5, NaN, Infinity])
      expect(() => {
        reader.start(0, offset);
      }).toThrow(RangeError);
    await expect(
      log.readPartitions({ topic: `${topic}-not`, onBatch: () => Promise.resolve() }),
    ).rejects.toThrow(`${topic}-not`);
  });

  it('waits for the batches in progress when closed, may be closed twice, and closes with the log', async () => {
    const { log, topic } = await topicOfTen();
    let [begun, finished] = [0, 0];
    const onBatch = async () => {
      begun += 1;
      await sleep(200);
      finished += 1;
    };
    const [reader, other] = await Promise.all([
      log.readPartitions({ topic, maxRecords: 1, onBatch }),
      log.readPartitions({ topic, maxRecords: 1, onBatch }),
    ]);
    for (const partition of [0, 1, 2]) reader.start(partition, 0);
    other.start(1, 0);
    await until('batches', () => begun >= 4);

    await Promise.all([reader.close(), reader.close()]);
    reader.start(0, 0);
    await reader.stop(0);
    await log.close();
    expect(finished).toBe(begun);
    const begunAtClose = begun;
    await sleep(300);
    expect(begun).toBe(begunAtClose);
    await other.close();
  });
};
