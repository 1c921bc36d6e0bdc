import { TopicMoved } from '../topic-moved';
import { AppendCall, type Entry } from './append-call';
import { Conditions } from './conditions';

/** Conditions on a topic of one partition with scripted look-ups. */
const conditionsOf = (answers: (number | Error)[], partitions = 1) => {
  let lookUps = 0;
  const conditions = new Conditions({
    topics: { partitionsOf: () => Promise.resolve(partitions) },
    endOf: () => {
      lookUps += 1;
      const answer = answers.shift() ?? 0;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    sharedForMs: 0,
    lookUpTimeoutMs: 10_000,
    gapMs: () => 0,
  });
  return { conditions, lookUps: () => lookUps };
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

it('makes no look-up for calls without a condition', async () => {
  const { conditions, lookUps } = conditionsOf([]);
  const entry = entryOf();
  entry.call.outcome.catch(() => undefined);
  await conditions.admit([entry]);
  expect([lookUps(), entry.call.isOpen]).toEqual([0, true]);
  settleAll([entry]);
});

it('makes one look-up for a batch, fails calls that expect an older end, and admits the others', async () => {
  const { conditions, lookUps } = conditionsOf([5]);
  const entries = [entryOf(4), entryOf(5), entryOf(), entryOf(6)];
  for (const { call } of entries) call.outcome.catch(() => undefined);
  await conditions.admit(entries);

  expect(lookUps()).toBe(1);
  expect(entries.map(({ call }) => call.isOpen)).toEqual([false, true, true, true]);
  await expectFailed(entries[0]!, new TopicMoved('guard', 5));
  settleAll(entries);
});

it('decides a call once: an admitted call causes no further look-up', async () => {
  const { conditions, lookUps } = conditionsOf([1, 2]);
  const entry = entryOf(1);
  entry.call.outcome.catch(() => undefined);
  await conditions.admit([entry]);
  await conditions.admit([entry]);
  expect([lookUps(), entry.call.isOpen]).toEqual([1, true]);
  settleAll([entry]);
});

it('fails the calls on a topic whose end is unknown, and no others', async () => {
  const { conditions } = conditionsOf([new Error('away')]);
  const entries = [entryOf(1), entryOf()];
  for (const { call } of entries) call.outcome.catch(() => undefined);
  await conditions.admit(entries);
  expect(entries.map(({ call }) => call.isOpen)).toEqual([false, true]);
  await expectFailed(entries[0]!, new Error('away'));
  settleAll(entries);
});

it('refuses a condition on a topic of several partitions', async () => {
  const { conditions, lookUps } = conditionsOf([1], 2);
  const entry = entryOf(1);
  entry.call.outcome.catch(() => undefined);
  await conditions.admit([entry]);
  await expectFailed(entry, new Error('topic guard has 2 partitions, not one'));
  expect(lookUps()).toBe(0);
});
