import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailable, type LogRecord, type MessageLog } from '../message-log';
import { TopicMoved } from '../topic-moved';
import {
  fresh,
  freshTopic,
  keyIn,
  type LogHarness,
  numbered,
  type OpenOptions,
  opener,
} from './log-harness';
import { Recorder } from './recorder';
import { until } from './until';

const readAll = async (log: MessageLog, topic: string): Promise<readonly LogRecord[]> => {
  const recorder = new Recorder();
  const reader = await log.follow({ topic, onBatch: recorder.onBatch });
  await reader.caughtUp();
  await reader.stop();
  return recorder.records;
};

/** Returns the end in the error of a refused append; undefined when it was appended. */
const movedTo = (append: Promise<unknown>): Promise<number | undefined> =>
  append.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof TopicMoved) return error.end;
      throw error;
    },
  );

/** Makes a first conditional append. A look-up of an end has a limit, within which the first one must also connect. */
const lookAt = async (log: MessageLog, guard: string): Promise<void> => {
  const beside = await freshTopic(log, 1);
  const unlessMoved = { topic: guard, end: 0 };
  await until('a look', () =>
    log.append(beside, [{ key: 'key', value: 'beside' }], { unlessMoved }).then(
      () => true,
      () => false,
    ),
  );
};

export const itAppendsUnlessMoved = (harness: LogHarness): void => {
  const open = opener(harness);
  afterEach(() => harness.outage.end());

  const guarded = async (options?: OpenOptions) => {
    const [log, other] = await Promise.all([open(options), open()]);
    const [topic, guard] = [await freshTopic(log, 2), await freshTopic(log, 1)];
    await lookAt(log, guard);
    let known = 0;
    const move = async () => {
      const [position] = await other.append(guard, [{ key: 'k', value: 'v' }]);
      known = Math.max(known, (position?.offset ?? 0) + 1);
    };
    return {
      log,
      other,
      topic,
      guard,
      /** End of the guard after the last acknowledged record. */
      known: () => known,
      append: (value: string, end: number, key = 'key') =>
        log.append(topic, [{ key, value }], { unlessMoved: { topic: guard, end } }),
      move,
      /** Keeps appending to the guard. @returns a function that stops it. */
      keepMoving: (pauseMs: number) => {
        const over = new AbortController();
        const moving = (async () => {
          while (!over.signal.aborted) {
            await move();
            await sleep(pauseMs);
          }
        })();
        return async () => {
          over.abort();
          await moving;
        };
      },
    };
  };
  const valuesOf = (records: readonly LogRecord[]) => records.map(({ value }) => value);

  it('appends when the topic ends at the expected end or before', async () => {
    const { log, topic, guard, append, move } = await guarded();
    expect(await append('1', 0)).toHaveLength(1);
    expect(await append('2', 5)).toHaveLength(1);
    await move();
    expect(await append('3', 1)).toHaveLength(1);

    expect(valuesOf(await readAll(log, topic))).toEqual(['1', '2', '3']);
    expect(await log.endOffsets(guard)).toEqual([1]);
  });

  it('refuses when the topic has moved, reports its end, and appends nothing', async () => {
    const { log, topic, guard, append, move } = await guarded();
    await move();
    await move();

    const refused = append('no', 1);
    await expect(refused).rejects.toThrow(TopicMoved);
    await expect(refused).rejects.toMatchObject({ topic: guard, end: 2 });
    const messages = [0, 1].map((partition) => ({ key: keyIn(partition, 2), value: 'no' }));
    const unlessMoved = { topic: guard, end: 0 };
    await expect(log.append(topic, messages, { unlessMoved })).rejects.toThrow(TopicMoved);
    expect(await append('yes', 2)).toHaveLength(1);

    expect(valuesOf(await readAll(log, topic))).toEqual(['yes']);
  });

  it('takes every record into account that was acknowledged before the call', async () => {
    const { log, topic, append, move, known } = await guarded();
    for (let round = 0; round < 100; round += 1) {
      const ends = [known(), known()];
      await move();
      const present = known();
      expect(await Promise.all(ends.map((end) => movedTo(append('no', end))))).toEqual([
        present,
        present,
      ]);
    }
    expect(await readAll(log, topic)).toEqual([]);
  });

  it('appends calls with the right end, and refuses concurrent ones with an older end', async () => {
    const { log, topic, append, move } = await guarded();
    await move();

    const outcomes = await Promise.all(
      numbered(0, 199).map((value) => movedTo(append(value, Number(value) % 2))),
    );

    expect(outcomes).toEqual(outcomes.map((_, index) => (index % 2 ? undefined : 1)));
    expect(valuesOf(await readAll(log, topic))).toEqual(
      numbered(0, 199).filter((value) => Number(value) % 2 === 1),
    );
  });

  it('never appends when the topic had moved before the call, while it keeps moving', async () => {
    const { log, topic, append, keepMoving, known } = await guarded();
    const endMoving = keepMoving(2);
    const appended: string[] = [];
    let refused = 0;
    const writer = async (name: number) => {
      for (let nth = 0; nth < 150; nth += 1) {
        const end = Math.max(0, known() - (nth % 3 === 0 ? 1 : 0));
        if (nth % 2) await sleep(Math.random() * 2);
        const knownAtCall = known();
        const value = `${name} ${nth}`;
        const present = await movedTo(append(value, end, `key-${name}`));
        if (present === undefined) {
          expect(knownAtCall).toBeLessThanOrEqual(end);
          appended.push(value);
          continue;
        }
        expect(present).toBeGreaterThan(end);
        refused += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)));
    await endMoving();

    expect(refused).toBeGreaterThan(0);
    const stored = valuesOf(await readAll(log, topic));
    expect([...stored].sort()).toEqual([...appended].sort());
  });

  it('keeps the order of a key among calls with and without a condition', async () => {
    const { log, topic, guard, move } = await guarded();
    const other = await freshTopic(log, 1);
    await move();
    const keys = ['a', 'b', 'c', 'd'];
    const conditions = [
      {},
      { unlessMoved: { topic: guard, end: 1 } },
      { unlessMoved: { topic: guard, end: 0 } },
      { unlessMoved: { topic: other, end: 0 } },
      {},
    ];
    const isRefused = (value: string) => Number(value) % 5 === 2;
    const outcomes = numbered(0, 299).flatMap((value) =>
      keys.map(async (key) => {
        const options = conditions[Number(value) % 5];
        expect(await movedTo(log.append(topic, [{ key, value }], options))).toBe(
          isRefused(value) ? 1 : undefined,
        );
      }),
    );
    await Promise.all(outcomes);

    const records = await readAll(log, topic);
    for (const key of keys)
      expect(valuesOf(records.filter((record) => record.key === key))).toEqual(
        numbered(0, 299).filter((value) => !isRefused(value)),
      );
  });

  it('appends all of a large call or nothing, while the topic moves', async () => {
    const { log, topic, guard, keepMoving, known } = await guarded();
    const endMoving = keepMoving(20);
    const text = 'x'.repeat(3_000);
    const appended: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      const messages = numbered(1, 3_000).map((key) => ({ key, value: `${round} ${text}` }));
      const unlessMoved = { topic: guard, end: known() };
      const present = await movedTo(log.append(topic, messages, { unlessMoved }));
      if (present === undefined) appended.push(String(round));
    }
    await endMoving();

    const counts = new Map<string, number>();
    for (const value of valuesOf(await readAll(log, topic))) {
      const [round = ''] = (value ?? '').split(' ');
      counts.set(round, (counts.get(round) ?? 0) + 1);
    }
    expect([...counts]).toEqual(appended.map((round) => [round, 3_000]));
  });

  it('refuses a condition on an unsuitable topic, and appends other waiting calls', async () => {
    const { log, topic, append } = await guarded();
    const nowhere = fresh('topic');
    const given = { key: 'key', value: 'no' };
    const on = (name: string, end = 0) =>
      log.append(topic, [given], { unlessMoved: { topic: name, end } });
    const outcomes = await Promise.allSettled([
      append('1', 0),
      on(nowhere),
      append('2', 0),
      on(topic),
      log.append(topic, [{ key: 'key', value: '3' }]),
    ]);

    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(outcomes[1]).toHaveProperty('reason.message', expect.stringContaining(nowhere));
    expect(outcomes[3]).toHaveProperty('reason.message', expect.stringContaining(topic));
    for (const end of [-1, 0.5, NaN]) await expect(on(nowhere, end)).rejects.toThrow(RangeError);
    expect(valuesOf(await readAll(log, topic))).toEqual(['1', '2', '3']);
  });

  it('appends nothing while it cannot check the end, rejects in time, and recovers', async () => {
    const { log, topic, guard, append } = await guarded({ endsTimeoutMs: 1_000 });
    // This look-up too has a second only, which a busy broker may exceed: then nothing was appended.
    await until('an append before', () =>
      append('before', 0).then(
        () => true,
        () => false,
      ),
    );
    await harness.outage.begin();
    const startMs = Date.now();
    const waiting = [0, 1].map((end) =>
      log.append(topic, [{ key: 'key', value: 'waiting' }], {
        timeoutMs: 3_000,
        unlessMoved: { topic: guard, end },
      }),
    );
    for (const outcome of await Promise.allSettled(waiting))
      expect(outcome).toHaveProperty('reason', expect.any(LogUnavailable));
    expect(Date.now() - startMs).toBeLessThan(20_000);
    await harness.outage.end();
    await until('an append', () =>
      append('after', 0).then(
        () => true,
        () => false,
      ),
    );

    const values = new Set(valuesOf(await readAll(log, topic)));
    expect(values).toEqual(new Set(['before', 'after']));
  });
};
