import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailable } from '../message-log';
import { fresh, freshTopic, type LogHarness, numbered, opener } from './log-harness';
import { firstSeenByKey, Recorder } from './recorder';
import { until } from './until';

export const itOutlivesOutages = (harness: LogHarness): void => {
  const open = opener(harness);
  afterEach(() => harness.outage.end());

  const rejectedAfterMs = async (append: Promise<unknown>): Promise<number> => {
    const startMs = Date.now();
    await expect(append).rejects.toThrow(LogUnavailable);
    return Date.now() - startMs;
  };

  it('rejects an append after its time-out, and withdraws what was not sent', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);
    const append = (value: string, timeoutMs: number) =>
      log.append(topic, [{ key: 'key', value }], { timeoutMs });
    await append('before', 10_000);

    await harness.outage.begin();
    const inFlight = rejectedAfterMs(append('in flight', 1_000));
    await sleep(200);
    const waiting = rejectedAfterMs(append('waiting', 500));
    expect(await waiting).toBeLessThan(10_000);
    expect(await inFlight).toBeLessThan(10_000);
    await harness.outage.end();
    await until('an append', () =>
      append('after', 10_000).then(
        () => true,
        () => false,
      ),
    );

    const recorder = new Recorder();
    const reader = await log.follow({ topic, onBatch: recorder.onBatch });
    await reader.caughtUp();
    const known = recorder.values.filter((value) => value !== 'in flight');
    expect(new Set(known)).toEqual(new Set(['before', 'after']));
    expect(recorder.values[0]).toBe('before');
  });

  it('sends what has waited until the log is back', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);

    await harness.outage.begin();
    await sleep(500);
    const appends = numbered(1, 20).map((value) =>
      log.append(topic, [{ key: 'key', value }], { timeoutMs: 40_000 }).then(
        () => value,
        () => undefined,
      ),
    );
    await sleep(1_000);
    await harness.outage.end();
    const taken = (await Promise.all(appends)).filter((value) => value !== undefined);

    const recorder = new Recorder();
    const reader = await log.follow({ topic, onBatch: recorder.onBatch });
    await reader.caughtUp();
    expect(recorder.values).toEqual(expect.arrayContaining(taken));
    expect(taken).toEqual(numbered(1, 20));
  });

  it('rejects a ping during an outage, and resolves one afterwards', async () => {
    const log = await open();
    await log.ping();
    await harness.outage.begin();
    const startMs = Date.now();
    await expect(log.ping()).rejects.toThrow(LogUnavailable);
    expect(Date.now() - startMs).toBeLessThan(10_000);
    await harness.outage.end();
    await until('a ping', () =>
      log.ping().then(
        () => true,
        () => false,
      ),
    );
  });

  it('lets readers resume by themselves, without losing records', async () => {
    const log = await open();
    const topic = await freshTopic(log, 2);
    const [member, follower] = [new Recorder(), new Recorder()];
    const append = async (value: string) => {
      await until(`append ${value}`, () =>
        log
          .append(
            topic,
            ['a', 'b', 'c', 'd'].map((key) => ({ key, value })),
          )
          .then(
            () => true,
            () => false,
          ),
      );
    };
    await log.subscribe({ topic, group: fresh('group'), onBatch: member.onBatch });
    await log.follow({ topic, onBatch: follower.onBatch });
    await append('1');
    await Promise.all([member.untilSeen(4), follower.untilSeen(4)]);

    await harness.outage.begin();
    await sleep(2_000);
    await harness.outage.end();
    await append('2');
    await Promise.all([member.untilValue('2'), follower.untilValue('2')]);
    await append('3');

    for (const recorder of [member, follower]) {
      await until('all', () => recorder.values.filter((value) => value === '3').length === 4);
      for (const [, values] of firstSeenByKey(recorder.records))
        expect(values).toEqual(['1', '2', '3']);
    }
  });
};
