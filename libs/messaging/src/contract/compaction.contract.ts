import { freshTopic, type LogHarness, numbered, opener } from './log-harness';
import { Recorder } from './recorder';

export const itCompacts = (harness: LogHarness): void => {
  const open = opener(harness);

  it('keeps at least the last value of each key, in order, with its offset', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1, 'compact');
    const live = new Recorder();
    const reader = await log.follow({ topic, onBatch: live.onBatch });
    for (const value of numbered(1, 30))
      await log.append(topic, [
        { key: `key-${Number(value) % 3}`, value },
        { key: 'deleted', value },
      ]);
    await log.append(topic, [{ key: 'deleted', value: null }]);
    await log.append(topic, [{ key: 'last', value: 'last' }]);
    await reader.caughtUp();
    expect(live.records).toHaveLength(62);
    expect(live.records.at(-2)).toMatchObject({ key: 'deleted', value: null });

    await harness.compact(log, topic);

    const late = new Recorder();
    const second = await log.follow({ topic, onBatch: late.onBatch });
    await second.caughtUp();
    expect(late.records.length).toBeLessThan(live.records.length);
    expect(live.records).toEqual(expect.arrayContaining([...late.records]));
    const offsets = late.records.map(({ offset }) => offset);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
    const latest = new Map(late.records.map(({ key, value }) => [key, value]));
    const deleted = late.records.filter(({ key }) => key === 'deleted');
    expect(deleted.filter(({ value }) => value !== null)).toEqual([]);
    latest.delete('deleted');
    expect(Object.fromEntries(latest)).toEqual({
      'key-0': '30',
      'key-1': '28',
      'key-2': '29',
      last: 'last',
    });
    expect(await log.endOffsets(topic)).toEqual([62]);
  });

  it('lets a reader within a compacted topic continue', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1, 'compact');
    for (const value of numbered(1, 20)) await log.append(topic, [{ key: 'key', value }]);
    await log.append(topic, [{ key: 'last', value: 'last' }]);
    await harness.compact(log, topic);

    const recorder = new Recorder();
    const from = new Map([[0, 5]]);
    const reader = await log.follow({ topic, from, onBatch: recorder.onBatch });
    await reader.caughtUp();
    await log.append(topic, [{ key: 'key', value: 'on' }]);
    await reader.caughtUp();

    expect(recorder.records.every(({ offset }) => offset >= 5)).toBe(true);
    expect(recorder.values.slice(-3)).toEqual(['20', 'last', 'on']);
  });
};
