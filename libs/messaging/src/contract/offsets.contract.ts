import { setTimeout as sleep } from 'node:timers/promises';
import { freshTopic, keyIn, type LogHarness, opener } from './log-harness';
import { Recorder } from './recorder';

export const itKnowsOffsets = (harness: LogHarness): void => {
  const open = opener(harness);

  it('returns the first kept and the next offset of each partition', async () => {
    const log = await open();
    const topic = await freshTopic(log, 3);
    const [a, b] = [keyIn(0, 3), keyIn(2, 3)];
    await log.append(
      topic,
      [a, a, b].map((key) => ({ key, value: 'v' })),
    );

    expect(await log.beginningOffsets(topic)).toEqual([0, 0, 0]);
    expect(await log.endOffsets(topic)).toEqual([2, 0, 1]);
  });

  it('finds the first record at or after a time', async () => {
    const log = await open();
    const topic = await freshTopic(log, 2);
    const append = (value: string) => log.append(topic, [{ key: keyIn(0, 2), value }]);
    const recorder = new Recorder();
    for (const value of ['0', '1', '2', '3', '4']) {
      await append(value);
      await sleep(5);
    }
    const reader = await log.follow({ topic, onBatch: recorder.onBatch });
    await reader.caughtUp();
    const timesMs = recorder.records.map(({ timestampMs }) => timestampMs);
    const [firstMs = 0, , thirdMs = 0, , lastMs = 0] = timesMs;

    expect(new Set(timesMs).size).toBe(5);
    expect(await log.offsetsAt(topic, 0)).toEqual([0, 0]);
    expect(await log.offsetsAt(topic, firstMs)).toEqual([0, 0]);
    expect(await log.offsetsAt(topic, firstMs + 1)).toEqual([1, 0]);
    expect(await log.offsetsAt(topic, thirdMs)).toEqual([2, 0]);
    expect(await log.offsetsAt(topic, thirdMs + 1)).toEqual([3, 0]);
    expect(await log.offsetsAt(topic, lastMs)).toEqual([4, 0]);
    expect(await log.offsetsAt(topic, lastMs + 1)).toEqual([5, 0]);
  });

  it('finds nothing below the first kept record, and the end of a partition without records', async () => {
    const log = await open();
    const topic = await freshTopic(log, 2, 3_600_000);
    const key = keyIn(0, 2);
    await log.append(topic, [
      { key, value: 'dropped' },
      { key, value: 'dropped too' },
    ]);
    await harness.drop(log, topic);
    const [end = 0] = await log.endOffsets(topic);
    expect(await log.offsetsAt(topic, 0)).toEqual([end, 0]);
    await log.append(topic, [{ key, value: 'kept' }]);

    expect(end).toBe(2);
    expect(await log.offsetsAt(topic, 0)).toEqual([2, 0]);
    expect(await log.offsetsAt(topic, Date.now() + 3_600_000)).toEqual([3, 0]);
  });
};
