import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fresh, freshTopic, type LogHarness, numbered, opener } from './log-harness';
import { Recorder } from './recorder';
import { until } from './until';

const messagesOf = (values: readonly string[], key = 'key') =>
  values.map((value) => ({ key, value }));

export const itDeliversToGroups = (harness: LogHarness): void => {
  const open = opener(harness);

  it('delivers from the beginning, in order, in batches of at most maxRecords', async () => {
    const log = await open();
    const topic = await freshTopic(log, 2);
    const recorder = new Recorder();
    await log.append(topic, messagesOf(numbered(1, 50)));
    const group = fresh('group');

    const subscription = await log.subscribe({
      topic,
      group,
      maxRecords: 7,
      onBatch: recorder.onBatch,
    });
    await recorder.untilSeen(50);
    await log.append(topic, messagesOf(numbered(51, 100)));
    await recorder.untilSeen(100);
    await subscription.stop();

    expect(recorder.values).toEqual(numbered(1, 100));
    for (const { partition, records } of recorder.batches) {
      expect(records.length).toBeLessThanOrEqual(7);
      expect(records.length).toBeGreaterThan(0);
      expect(records.every((record) => record.partition === partition)).toBe(true);
    }
    expect(await subscription.ended).toBeUndefined();
  });

  it('redelivers the same records after a rejection, before any others', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);
    await log.append(topic, messagesOf(numbered(1, 6)));
    const attempts: string[][] = [];

    const subscription = await log.subscribe({
      topic,
      group: fresh('group'),
      maxRecords: 2,
      onBatch: (_, records) => {
        attempts.push(records.map(({ value }) => value ?? ''));
        const failing = attempts.filter(([first]) => first === '3').length;
        if (records[0]?.value === '3' && failing <= 3) throw new TypeError('not yet');
        return Promise.resolve();
      },
    });
    await until('the last record', () => attempts.flat().includes('6'));
    await subscription.stop();

    const [first, second, third] = [
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ];
    expect(attempts.filter(([value]) => value !== '3' && value !== '4')).toEqual([first, third]);
    expect(attempts.flatMap((values) => values.slice(0, 1)).filter((v) => v === '3')).toHaveLength(
      4,
    );
    expect(attempts.filter(([value]) => value === '3')).toEqual([second, second, second, second]);
  });

  it('lets other partitions proceed while one fails', async () => {
    const log = await open();
    const topic = await freshTopic(log, 2);
    const recorder = new Recorder();
    let broken = true;
    const subscription = await log.subscribe({
      topic,
      group: fresh('group'),
      onBatch: (partition, records) => {
        if (partition === 0 && broken) throw new Error('not this one');
        return recorder.onBatch(partition, records);
      },
    });

    const keys = numbered(1, 20);
    await log.append(
      topic,
      keys.map((key) => ({ key, value: key })),
    );
    const [held = 0, free = 0] = await log.endOffsets(topic);
    await recorder.untilSeen(free);
    expect(recorder.records.every(({ partition }) => partition === 1)).toBe(true);
    broken = false;
    await recorder.untilSeen(free + held);
    await subscription.stop();
    expect(new Set(recorder.values)).toEqual(new Set(keys));
  });

  it('continues where the group stopped', async () => {
    const log = await open();
    const topic = await freshTopic(log, 2);
    const group = fresh('group');
    const [before, after] = [new Recorder(), new Recorder()];
    await log.append(topic, messagesOf(numbered(1, 10)));

    const first = await log.subscribe({ topic, group, onBatch: before.onBatch });
    await before.untilSeen(10);
    await first.stop();
    await log.append(topic, messagesOf(numbered(11, 20)));
    const second = await log.subscribe({ topic, group, onBatch: after.onBatch });
    await after.untilSeen(10);
    await second.stop();

    expect(before.values).toEqual(numbered(1, 10));
    expect(after.values).toEqual(numbered(11, 20));
  });

  it('delivers all records to every group', async () => {
    const log = await open();
    const topic = await freshTopic(log, 2);
    const [one, two] = [new Recorder(), new Recorder()];
    await log.subscribe({ topic, group: fresh('group'), onBatch: one.onBatch });
    await log.subscribe({ topic, group: fresh('group'), onBatch: two.onBatch });

    await log.append(topic, messagesOf(numbered(1, 10)));

    await Promise.all([one.untilSeen(10), two.untilSeen(10)]);
    expect([one.values, two.values]).toEqual([numbered(1, 10), numbered(1, 10)]);
  });

  it('aborts the signal of a handler whose partition is being revoked', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);
    const group = fresh('group');
    await log.append(topic, messagesOf(numbered(1, 3)));
    let isWaiting = false;
    const revoked: number[] = [];

    const subscription = await log.subscribe({
      topic,
      group,
      onAssigned: () => Promise.resolve(new Map()),
      onRevoked: (partitions) => Promise.resolve(void revoked.push(...partitions)),
      onBatch: async (_, __, leaving) => {
        isWaiting = true;
        await once(leaving, 'abort');
        throw leaving.reason;
      },
    });
    await until('a handler that waits', () => isWaiting);
    await subscription.stop();
    const recorder = new Recorder();
    await log.subscribe({ topic, group, onBatch: recorder.onBatch });
    await recorder.untilSeen(3);

    expect(revoked).toEqual([0]);
    expect(recorder.values).toEqual(numbered(1, 3));
  });

  it('waits, when stopped, for the batch in progress, and has committed its position', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);
    const group = fresh('group');
    await log.append(topic, messagesOf(numbered(1, 4)));
    const finished: string[] = [];
    let begun = 0;
    const first = await log.subscribe({
      topic,
      group,
      maxRecords: 2,
      onBatch: async (_, records) => {
        begun += 1;
        await sleep(500);
        finished.push(...records.map(({ value }) => value ?? ''));
      },
    });
    await until('the first batch', () => begun === 1);
    await first.stop();
    expect(finished).toEqual(['1', '2']);

    const rest = new Recorder();
    const second = await log.subscribe({ topic, group, onBatch: rest.onBatch });
    await rest.untilSeen(2);
    await second.stop();
    expect(rest.values).toEqual(['3', '4']);
    expect(finished).toEqual(['1', '2']);
  });
};
