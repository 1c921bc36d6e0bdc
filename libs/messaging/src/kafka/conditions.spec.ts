import { TopicMoved } from '../topic-moved';
import { AppendCall, type Entry } from './append-call';
import { Conditions } from './conditions';

/** A topic of one partition whose look-ups answer one after the other. */
const conditionsOf = (answers: (number | Error)[], partitions = 1) => {
  let asked = 0;
  const conditions = new Conditions({
    topics: { partitionsOf: () => Promise.resolve(partitions) },
    endOf: () => {
      asked += 1;
      const answer = answers.shift() ?? 0;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    sharedForMs: 0,
    gapMs: () => 0,
  });
  return { conditions, asked: () => asked };
};

const entryOf = (end?: number, topic = 'guard'): Entry => ({
  message: { key: 'k', value: 'v' },
  bytes: 10,
  index: 0,
  call: new AppendCall(1, 60_000, () => undefined, end === undefined ? undefined : { topic, end }),
});

const settleAll = (entries: readonly Entry[]): void => {
  for (const { call } of entries) call.fail(new Error('the end of the test'));
};
const expectFailed = async (entry: Entry, error: unknown): Promise<void> => {
  await expect(entry.call.outcome).rejects.toEqual(error);
};

it('asks nobody for calls without a condition', async () => {
  const { conditions, asked } = conditionsOf([]);
  const entry = entryOf();
  entry.call.outcome.catch(() => undefined);
  await conditions.admit([entry]);
  expect([asked(), entry.call.isOpen]).toEqual([0, true]);
  settleAll([entry]);
});

it('asks once for a batch, fails who knows less than the end, and lets the others pass', async () => {
  const { conditions, asked } = conditionsOf([5]);
  const entries = [entryOf(4), entryOf(5), entryOf(), entryOf(6)];
  for (const { call } of entries) call.outcome.catch(() => undefined);
  await conditions.admit(entries);

  expect(asked()).toBe(1);
  expect(entries.map(({ call }) => call.isOpen)).toEqual([false, true, true, true]);
  await expectFailed(entries[0]!, new TopicMoved('guard', 5));
  settleAll(entries);
});

it('decides a call once: what was let pass is not asked for again', async () => {
  const { conditions, asked } = conditionsOf([1, 2]);
  const entry = entryOf(1);
  entry.call.outcome.catch(() => undefined);
  await conditions.admit([entry]);
  await conditions.admit([entry]);
  expect([asked(), entry.call.isOpen]).toEqual([1, true]);
  settleAll([entry]);
});

it('fails the calls of a topic that cannot be asked for, and no others', async () => {
  const { conditions } = conditionsOf([new Error('away')]);
  const entries = [entryOf(1), entryOf()];
  for (const { call } of entries) call.outcome.catch(() => undefined);
  await conditions.admit(entries);
  expect(entries.map(({ call }) => call.isOpen)).toEqual([false, true]);
  await expectFailed(entries[0]!, new Error('away'));
  settleAll(entries);
});

it('refuses to depend on a topic of several partitions', async () => {
  const { conditions, asked } = conditionsOf([1], 2);
  const entry = entryOf(1);
  entry.call.outcome.catch(() => undefined);
  await conditions.admit([entry]);
  await expectFailed(entry, new Error('topic guard has 2 partitions, not one'));
  expect(asked()).toBe(0);
});
