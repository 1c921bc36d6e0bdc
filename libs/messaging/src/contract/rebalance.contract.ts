import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageLog } from '../message-log';
import { fresh, freshTopic, keyIn, type LogHarness, numbered, opener } from './log-harness';
import { firstSeenByKey, Recorder } from './recorder';
import { until } from './until';

const PARTITIONS = 6;
const KEYS = Array.from({ length: PARTITIONS }, (_, partition) => keyIn(partition, PARTITIONS));

/** Values between two changes of the group. */
const STRETCH = process.env['PENSTOCK_TEST_LONG'] === '1' ? 50 : 20;

const appendToAll = (log: MessageLog, topic: string, value: string) =>
  log.append(
    topic,
    KEYS.map((key) => ({ key, value })),
  );

export const itSharesPartitions = (harness: LogHarness): void => {
  const open = opener(harness);

  it('shares the partitions between two members, each partition at one of them', async () => {
    const [log, other] = await Promise.all([open(), open()]);
    const topic = await freshTopic(log, PARTITIONS);
    const group = fresh('group');
    const [one, two] = [new Recorder(), new Recorder()];
    await log.subscribe({ topic, group, onBatch: one.onBatch });
    await other.subscribe({ topic, group, onBatch: two.onBatch });

    let round = 0;
    /** Partitions in which each member received the value of the round. */
    const receivedIn = () =>
      [one, two].map(({ records }) =>
        records.filter(({ value }) => value === String(round)).map(({ partition }) => partition),
      );
    await until('a fair share', async () => {
      round += 1;
      await appendToAll(log, topic, String(round));
      await until('the value', () => new Set(receivedIn().flat()).size === PARTITIONS);
      return receivedIn().every((partitions) => new Set(partitions).size === PARTITIONS / 2);
    });

    const shares = receivedIn().map((partitions) => [...new Set(partitions)].sort());
    round += 1;
    await appendToAll(log, topic, String(round));
    await until('the value', () => receivedIn().flat().length >= PARTITIONS);
    expect(receivedIn().map((partitions) => partitions.sort())).toEqual(shares);
  });

  it('loses nothing and gets stuck nowhere while members join and leave, also during a batch', async () => {
    const [a, b, c] = await Promise.all([open(), open(), open()]);
    const topic = await freshTopic(a, PARTITIONS);
    const group = fresh('group');
    const seen = new Recorder();
    let inHand = 0;
    const onBatch: Recorder['onBatch'] = async (partition, records) => {
      inHand += 1;
      await sleep(20);
      await seen.onBatch(partition, records);
      inHand -= 1;
    };
    const join = (log: MessageLog) => log.subscribe({ topic, group, maxRecords: 5, onBatch });

    let appended = 0;
    const append = async (count: number) => {
      const values = numbered(appended + 1, appended + count);
      appended += count;
      for (const value of values) await appendToAll(a, topic, value);
    };
    const first = await join(a);
    await append(STRETCH);
    const second = await join(b);
    await append(2 * STRETCH);
    await join(c);
    await append(STRETCH);
    await until('a batch in hand', () => inHand > 0);
    await Promise.all([first.stop(), append(STRETCH)]);
    await second.stop();
    await append(STRETCH);

    await until('all values', () => new Set(seen.values).size === appended, 50_000);
    await until('all values of all keys', () =>
      [...firstSeenByKey(seen.records).values()].every(({ length }) => length === appended),
    );
    const orders = firstSeenByKey(seen.records);
    for (const key of KEYS) expect(orders.get(key)).toEqual(numbered(1, appended));
  });

  it('hands a partition over only when the batch in progress and onRevoked have ended', async () => {
    const [log, other] = await Promise.all([open(), open()]);
    const topic = await freshTopic(log, PARTITIONS);
    const group = fresh('group');
    const holder = new Map<number, string>();
    const clashes: string[] = [];
    const member = (name: string) => {
      const take = (partition: number) => {
        const present = holder.get(partition) ?? name;
        if (present !== name) clashes.push(`${partition}: ${name} while ${present}`);
        holder.set(partition, name);
      };
      return {
        topic,
        group,
        onAssigned: (partitions: readonly number[]) => {
          partitions.forEach(take);
          return Promise.resolve(new Map<number, number>());
        },
        onBatch: async (partition: number) => {
          take(partition);
          await sleep(50);
          take(partition);
        },
        onRevoked: async (partitions: readonly number[]) => {
          await sleep(300);
          partitions.forEach(take);
          partitions.forEach((partition) => holder.delete(partition));
        },
      };
    };
    const owners = () => new Set(holder.values());

    const first = await log.subscribe(member('first'));
    await appendToAll(log, topic, 'v');
    await until('the first at work', () => holder.size === PARTITIONS);
    await other.subscribe(member('second'));
    await until('both at work', async () => {
      await appendToAll(log, topic, 'v');
      return holder.size === PARTITIONS && owners().size === 2;
    });
    await first.stop();
    await until('the second alone', () => holder.size === PARTITIONS && owners().size === 1);

    expect(owners()).toEqual(new Set(['second']));
    expect(clashes).toEqual([]);
  });
};
