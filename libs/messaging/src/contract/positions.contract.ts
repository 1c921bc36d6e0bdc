import { setTimeout as sleep } from 'node:timers/promises';
import { fresh, freshTopic, keyIn, type LogHarness, numbered, opener } from './log-harness';
import { Recorder } from './recorder';
import { until } from './until';

export const itLeavesPositionsToTheCaller = (harness: LogHarness): void => {
  const open = opener(harness);

  const topicOfTen = async () => {
    const log = await open();
    const topic = await freshTopic(log, 2);
    await log.append(
      topic,
      numbered(0, 9).flatMap((value) => [0, 1].map((p) => ({ key: keyIn(p, 2), value }))),
    );
    return { log, topic, group: fresh('group') };
  };
  const offsetsOf = ({ records }: Recorder, partition: number) =>
    records.filter((record) => record.partition === partition).map(({ offset }) => offset);

  it('waits for onAssigned, and starts at the offsets that it returns', async () => {
    const { log, topic, group } = await topicOfTen();
    const recorder = new Recorder();
    let answered = false;

    await log.subscribe({
      topic,
      group,
      onAssigned: async () => {
        await sleep(300);
        answered = true;
        return new Map([[0, 7]]);
      },
      onBatch: (partition, records) => {
        if (!answered) throw new Error('delivered before onAssigned had answered');
        return recorder.onBatch(partition, records);
      },
    });
    await recorder.untilSeen(13);

    expect(offsetsOf(recorder, 0)).toEqual([7, 8, 9]);
    expect(offsetsOf(recorder, 1)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('does not commit positions by itself', async () => {
    const { log, topic, group } = await topicOfTen();
    const [own, plain] = [new Recorder(), new Recorder()];
    const assigned = jest.fn(() => Promise.resolve(new Map<number, number>()));

    const first = await log.subscribe({ topic, group, onAssigned: assigned, onBatch: own.onBatch });
    await own.untilSeen(20);
    await first.stop();
    await log.subscribe({ topic, group, onBatch: plain.onBatch });
    await plain.untilSeen(20);

    expect(offsetsOf(plain, 0)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(assigned.mock.calls.flat(2).sort()).toEqual([0, 1]);
  });

  it('starts a member without onAssigned at the committed positions', async () => {
    const { log, topic, group } = await topicOfTen();
    const [own, plain] = [new Recorder(), new Recorder()];

    const first = await log.subscribe({
      topic,
      group,
      onAssigned: () => Promise.resolve(new Map()),
      onBatch: own.onBatch,
    });
    await own.untilSeen(20);
    await first.commit(0, 4);
    await first.commit(1, 10);
    await first.stop();
    await log.append(topic, [{ key: keyIn(1, 2), value: 'last' }]);
    await log.subscribe({ topic, group, onBatch: plain.onBatch });
    await plain.untilSeen(7);

    expect(offsetsOf(plain, 0)).toEqual([4, 5, 6, 7, 8, 9]);
    expect(offsetsOf(plain, 1)).toEqual([10]);
  });

  it('calls onAssigned again when it rejects, and delivers nothing meanwhile', async () => {
    const { log, topic, group } = await topicOfTen();
    const recorder = new Recorder();
    let calls = 0;

    await log.subscribe({
      topic,
      group,
      onAssigned: () => {
        calls += 1;
        if (calls === 1) return Promise.reject(new Error('the database is away'));
        return Promise.resolve(new Map([[0, 9]]));
      },
      onBatch: (partition, records) => {
        if (calls < 2) throw new Error('delivered without an assignment');
        return recorder.onBatch(partition, records);
      },
    });
    await recorder.untilSeen(11);

    expect(offsetsOf(recorder, 0)).toEqual([9]);
  });

  it('calls onRevoked on stop for all partitions that onAssigned was called for', async () => {
    const { log, topic, group } = await topicOfTen();
    const held = new Set<number>();
    const subscription = await log.subscribe({
      topic,
      group,
      onAssigned: (partitions) => {
        partitions.forEach((partition) => held.add(partition));
        return Promise.resolve(new Map());
      },
      onRevoked: async (partitions) => {
        await sleep(100);
        partitions.forEach((partition) => held.delete(partition));
      },
      onBatch: () => Promise.resolve(),
    });
    await until('both partitions', () => held.size === 2);

    await subscription.stop();

    expect(held.size).toBe(0);
  });
};
