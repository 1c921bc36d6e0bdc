import type { TopicSpec } from '../message-log';
import { fresh, type LogHarness, opener } from './log-harness';
import { Recorder } from './recorder';

export const itMakesTopics = (harness: LogHarness): void => {
  const open = opener(harness);

  it('makes missing topics once, for any number of concurrent calls', async () => {
    const logs = await Promise.all([open(), open(), open()]);
    const [first, second] = logs;
    const topics = [
      { name: fresh('topic'), partitions: 3, retention: 'forever' },
      { name: fresh('topic'), partitions: 2, retention: 'compact' },
      { name: fresh('topic'), partitions: 1, retention: 3_600_000 },
    ] as const;

    await Promise.all(logs.map((log) => log.ensureTopics(topics)));
    await first.ensureTopics(topics);

    const counts = topics.map(({ name }) => second.partitionsOf(name));
    expect(await Promise.all(counts)).toEqual([3, 2, 1]);
  });

  it('refuses another partition count, naming the topic', async () => {
    const log = await open();
    const name = fresh('topic');
    await log.ensureTopics([{ name, partitions: 2, retention: 'forever' }]);

    await expect(log.ensureTopics([{ name, partitions: 3, retention: 'forever' }])).rejects.toThrow(
      name,
    );
    expect(await log.partitionsOf(name)).toBe(2);
  });

  it('applies another retention time, and refuses another kind of retention, naming the topic', async () => {
    const log = await open();
    const kinds = ['forever', 'compact', 3_600_000] as const;
    for (const made of kinds) {
      const name = fresh('topic');
      const kept = (retention: TopicSpec['retention']) =>
        log.ensureTopics([{ name, partitions: 1, retention }]);
      await kept(made);
      for (const other of kinds.filter((kind) => kind !== made))
        await expect(kept(other)).rejects.toThrow(name);
      await kept(typeof made === 'number' ? 2 * made : made);
    }
  });

  it('rejects a topic that was never made', async () => {
    const log = await open();
    const topic = fresh('topic');
    const { onBatch } = new Recorder();

    await expect(log.partitionsOf(topic)).rejects.toThrow(topic);
    await expect(log.append(topic, [{ key: 'k', value: 'v' }])).rejects.toThrow(topic);
    await expect(log.follow({ topic, onBatch })).rejects.toThrow(topic);
    await expect(log.subscribe({ topic, group: fresh('group'), onBatch })).rejects.toThrow(topic);
  });

  it('finds a topic that was made by another process after this one opened', async () => {
    const [log, other] = await Promise.all([open(), open()]);
    const name = fresh('topic');
    await expect(log.partitionsOf(name)).rejects.toThrow(name);

    await other.ensureTopics([{ name, partitions: 2, retention: 'forever' }]);

    expect(await log.append(name, [{ key: 'k', value: 'v' }])).toHaveLength(1);
  });

  it('resolves a ping', async () => {
    const log = await open();
    await expect(log.ping()).resolves.toBeUndefined();
  });
};
