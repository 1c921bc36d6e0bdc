import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailable } from '../message-log';
import { fresh, freshTopic, type LogHarness, numbered, opener } from './log-harness';
import { Recorder } from './recorder';
import { until } from './until';

export const itCloses = (harness: LogHarness): void => {
  const open = opener(harness);

  it('sends waiting messages, waits for batches in progress, ends everything, and refuses further calls', async () => {
    const [log, other] = await Promise.all([open(), open()]);
    const topic = await freshTopic(log, 2);
    let [begun, finished] = [0, 0];
    const onBatch = async () => {
      begun += 1;
      await sleep(300);
      finished += 1;
    };
    const subscription = await log.subscribe({ topic, group: fresh('group'), onBatch });
    const reader = await log.follow({ topic, onBatch });
    await log.append(topic, [{ key: 'key', value: 'v' }]);
    await until('batches', () => begun >= 2);

    const waiting = numbered(1, 100).map((value) => log.append(topic, [{ key: 'key', value }]));
    await log.close();
    await log.close();

    expect(finished).toBe(begun);
    expect(await subscription.ended).toBeUndefined();
    expect(await reader.ended).toBeUndefined();
    await Promise.all(waiting);
    const recorder = new Recorder();
    const late = await other.follow({ topic, onBatch: recorder.onBatch });
    await late.caughtUp();
    expect(recorder.values).toEqual(['v', ...numbered(1, 100)]);
    const append = log.append(topic, [{ key: 'key', value: 'late' }]);
    await expect(append).rejects.toThrow(LogUnavailable);
    await expect(log.follow({ topic, onBatch })).rejects.toThrow(LogUnavailable);
  });

  it('may be called twice', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);
    const { onBatch } = new Recorder();
    const subscription = await log.subscribe({ topic, group: fresh('group'), onBatch });
    const reader = await log.follow({ topic, onBatch });

    await Promise.all([subscription.stop(), subscription.stop(), reader.stop(), reader.stop()]);
    await subscription.stop();

    expect(await subscription.ended).toBeUndefined();
    await expect(reader.caughtUp()).rejects.toThrow('stopped');
  });
};
