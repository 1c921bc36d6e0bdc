import { LogOverloaded, MAX_VALUE_BYTES, type LogRecord, type MessageLog } from '../message-log';
import { partitionOf } from '../partition-of';
import { freshTopic, keyIn, type LogHarness, numbered, opener } from './log-harness';
import { Recorder } from './recorder';

const readAll = async (log: MessageLog, topic: string): Promise<readonly LogRecord[]> => {
  const recorder = new Recorder();
  const reader = await log.follow({ topic, onBatch: recorder.onBatch });
  await reader.caughtUp();
  await reader.stop();
  return recorder.records;
};

const ODD_TEXTS = [
  '',
  '{"quoted":"\\"\\\\n\\u0000"}',
  'back\\slash \\N \\. {braces},commas "quotes"',
  'line\nfeed, carriage\r\nreturn, tab\t',
  '\u0001\u001e\u001f\u007f\u0085\u2028',
  'ünïcödé 漢字 😀',
  "'; drop table messages; --",
  '~'.repeat(100_000),
];

export const itAppends = (harness: LogHarness): void => {
  const open = opener(harness);

  it('returns positions in the order of the messages, gapless from 0 in each partition', async () => {
    const log = await open();
    const topic = await freshTopic(log, 3);
    const messages = numbered(1, 300).map((value) => ({ key: `key-${value}`, value }));

    const first = await log.append(topic, messages);
    const second = await log.append(topic, messages);

    const next = [0, 0, 0];
    for (const [index, { partition, offset }] of [...first, ...second].entries()) {
      expect(partition).toBe(partitionOf(messages[index % 300]?.key ?? '', 3));
      expect(offset).toBe(next[partition]);
      next[partition] = offset + 1;
    }
    expect(await log.endOffsets(topic)).toEqual(next);
  });

  it('stores an empty key, and an empty value, that are alone', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);
    const messages = [
      { key: 'k', value: '' },
      { key: '', value: 'v' },
      { key: '', value: '' },
    ];

    for (const message of messages) await log.append(topic, [message]);

    const records = await readAll(log, topic);
    expect(records.map(({ key, value }) => ({ key, value }))).toEqual(messages);
  });

  it('keeps the order of a key over concurrent calls', async () => {
    const log = await open();
    const topic = await freshTopic(log, 2);
    const keys = ['a', 'b', 'c', 'd'];

    const positions = await Promise.all(
      numbered(1, 250).flatMap((value) => keys.map((key) => log.append(topic, [{ key, value }]))),
    );

    const records = await readAll(log, topic);
    for (const key of keys)
      expect(records.filter((record) => record.key === key).map(({ value }) => value)).toEqual(
        numbered(1, 250),
      );
    const acknowledged = positions.flat().map(({ partition, offset }) => `${partition}:${offset}`);
    const stored = records.map(({ partition, offset }) => `${partition}:${offset}`);
    expect(new Set(acknowledged)).toEqual(new Set(stored));
    expect(acknowledged).toHaveLength(stored.length);
  });

  it('stores each message at the returned position', async () => {
    const [log, other] = await Promise.all([open(), open()]);
    const topic = await freshTopic(log, 2);
    const values = numbered(1, 200);

    const positions = await Promise.all(
      values.map((value, index) =>
        (index % 2 ? log : other).append(topic, [{ key: value, value }]),
      ),
    );

    const stored = new Map(
      (await readAll(log, topic)).map(({ partition, offset, value }) => [
        `${partition}:${offset}`,
        value,
      ]),
    );
    const found = positions.map(([at]) => stored.get(`${at?.partition}:${at?.offset}`));
    expect(found).toEqual(values);
  });

  it('stores every text unchanged, in keys and values, and tombstones', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);
    const values = [...ODD_TEXTS, null, '"a"'];
    const messages = [
      ...values.map((value) => ({ key: 'key', value })),
      ...ODD_TEXTS.filter(({ length }) => length < 200).map((key) => ({ key, value: 'value' })),
    ];

    await log.append(topic, messages);

    const stored = (await readAll(log, topic)).map(({ key, value }) => ({ key, value }));
    expect(stored).toEqual(messages);
  });

  it('stamps each record with the time of its append', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);
    const before = Date.now();
    await log.append(topic, [{ key: 'k', value: 'v' }]);
    const after = Date.now();

    const [record] = await readAll(log, topic);
    expect(record?.timestampMs).toBeGreaterThanOrEqual(before - 2_000);
    expect(record?.timestampMs).toBeLessThanOrEqual(after + 2_000);
  });

  it('accepts keys and values up to their limits and none beyond', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);
    const value = 'v'.repeat(MAX_VALUE_BYTES);
    const key = 'ü'.repeat(512);
    await log.append(topic, [{ key, value }]);

    const refused = [
      { key: `${key}k`, value },
      { key, value: `${value}v` },
      { key: 'k', value: 'ü'.repeat(MAX_VALUE_BYTES / 2 + 1) },
      { key: 'k\0', value },
      { key, value: 'v\0' },
    ];
    for (const message of refused) {
      const append = log.append(topic, [{ key: 'k', value: 'first of the call' }, message]);
      await expect(append).rejects.toThrow(RangeError);
    }

    expect(await readAll(log, topic)).toEqual([expect.objectContaining({ key, value })]);
  });

  it('accepts an append without messages', async () => {
    const log = await open();
    const topic = await freshTopic(log, 1);
    expect(await log.append(topic, [])).toEqual([]);
    expect(await log.endOffsets(topic)).toEqual([0]);
  });

  it('refuses what exceeds its buffer, keeps what it accepted, and recovers', async () => {
    const log = await open({ maxBufferedBytes: 100_000 });
    const topic = await freshTopic(log, 2);
    const text = 'x'.repeat(9_000);
    const calls = numbered(1, 40).map((value) =>
      log.append(topic, [{ key: keyIn(Number(value) % 2, 2), value: value + text }]),
    );

    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    const taken = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(refused.length).toBeGreaterThan(0);
    expect(taken).toBeGreaterThan(0);
    for (const outcome of refused)
      expect(outcome).toHaveProperty('reason', expect.any(LogOverloaded));

    await log.append(topic, [{ key: 'k', value: text }]);
    expect(await readAll(log, topic)).toHaveLength(taken + 1);
  });
};
