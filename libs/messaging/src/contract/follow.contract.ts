import { setTimeout as sleep } from 'node:timers/promises';
import { freshTopic, keyIn, type LogHarness, numbered, opener } from './log-harness';
import { Recorder } from './recorder';
import { until } from './until';

export const itFollowsWithoutAGroup = (harness: LogHarness): void => {
  const open = opener(harness);

  const topicOfTen = async () => {
    const log = await open();
    const topic = await freshTopic(log, 2);
    const append = (values: readonly string[]) =>
      log.append(
        topic,
        values.flatMap((value) => [0, 1].map((p) => ({ key: keyIn(p, 2), value }))),
      );
    await append(numbered(0, 9));
    return { log, topic, append };
  };
  const valuesOf = ({ records }: Recorder, partition: number) =>
    records.filter((record) => record.partition === partition).map(({ value }) => value);

  it('reads from the beginning to the present end and on, in order per partition', async () => {
    const { log, topic, append } = await topicOfTen();
    const recorder = new Recorder();

    const reader = await log.follow({ topic, maxRecords: 3, onBatch: recorder.onBatch });
    await reader.caughtUp();
    expect(recorder.records).toHaveLength(20);
    await append(numbered(10, 19));
    await reader.caughtUp();
    await reader.stop();

    for (const partition of [0, 1]) expect(valuesOf(recorder, partition)).toEqual(numbered(0, 19));
    expect(recorder.batches.every(({ records }) => records.length <= 3)).toBe(true);
    expect(await reader.ended).toBeUndefined();
  });

  it('reads from given offsets, and from `otherwise` in other partitions', async () => {
    const { log, topic, append } = await topicOfTen();
    const [rest, end] = [new Recorder(), new Recorder()];
    const from = new Map([[0, 6]]);

    const readers = await Promise.all([
      log.follow({ topic, from, onBatch: rest.onBatch }),
      log.follow({ topic, from, otherwise: 'end', onBatch: end.onBatch }),
    ]);
    await append(['10']);
    await Promise.all(readers.map((reader) => reader.caughtUp()));

    expect(valuesOf(rest, 0)).toEqual(numbered(6, 10));
    expect(valuesOf(rest, 1)).toEqual(numbered(0, 10));
    expect(valuesOf(end, 0)).toEqual(numbered(6, 10));
    expect(valuesOf(end, 1)).toEqual(['10']);
  });

  it('misses nothing that is appended once a reader of the end has resolved', async () => {
    const { log, topic, append } = await topicOfTen();
    const recorder = new Recorder();

    const reader = await log.follow({ topic, otherwise: 'end', onBatch: recorder.onBatch });
    await reader.caughtUp();
    expect(recorder.records).toEqual([]);
    await append(['10']);
    await reader.caughtUp();

    expect(recorder.values).toEqual(['10', '10']);
  });

  it('delivers everything to each of two readers', async () => {
    const { log, topic, append } = await topicOfTen();
    const other = await open();
    const [one, two] = [new Recorder(), new Recorder()];

    await log.follow({ topic, onBatch: one.onBatch });
    await other.follow({ topic, onBatch: two.onBatch });
    await append(numbered(10, 14));
    await Promise.all([one.untilSeen(30), two.untilSeen(30)]);

    for (const recorder of [one, two])
      for (const partition of [0, 1])
        expect(valuesOf(recorder, partition)).toEqual(numbered(0, 14));
  });

  it('is caught up only when the handler has finished', async () => {
    const { log, topic } = await topicOfTen();
    let handled = 0;
    let failures = 0;
    const reader = await log.follow({
      topic,
      maxRecords: 5,
      onBatch: async (_, records) => {
        await sleep(50);
        failures += 1;
        if (failures === 2) throw new Error('once more');
        handled += records.length;
      },
    });

    await reader.caughtUp();

    expect(handled).toBe(20);
  });

  it('delivers a rejected batch again', async () => {
    const { log, topic } = await topicOfTen();
    const recorder = new Recorder();
    let calls = 0;
    const reader = await log.follow({
      topic,
      from: new Map([[1, 10]]),
      maxRecords: 5,
      onBatch: async (partition, records) => {
        calls += 1;
        await recorder.onBatch(partition, records);
        if (calls === 1) throw new TypeError('once more');
      },
    });
    await reader.caughtUp();

    expect(recorder.values).toEqual([...numbered(0, 4), ...numbered(0, 4), ...numbered(5, 9)]);
  });

  it('stops after the batch in progress and delivers nothing more', async () => {
    const { log, topic, append } = await topicOfTen();
    let [begun, finished] = [0, 0];
    const reader = await log.follow({
      topic,
      maxRecords: 1,
      onBatch: async () => {
        begun += 1;
        await sleep(200);
        finished += 1;
      },
    });
    await until('a batch', () => begun > 0);
    await reader.stop();
    const [begunAtStop, finishedAtStop] = [begun, finished];
    expect(finishedAtStop).toBe(begunAtStop);

    await append(['10']);
    await sleep(500);
    expect(begun).toBe(begunAtStop);
  });
};
