import { setImmediate as turn } from 'node:timers/promises';
import { SendSlots } from './send-slots';

const SLOTS = 8;

const takeMany = (slots: SendSlots, count: number) => {
  const taken: (() => void)[] = [];
  for (let nth = 0; nth < count; nth += 1)
    void slots.take().then((giveBack) => taken.push(giveBack));
  return taken;
};

it('grants eight slots, and the next one when a slot is released, once', async () => {
  const slots = new SendSlots();
  const taken = takeMany(slots, SLOTS + 2);
  await turn();
  expect(taken).toHaveLength(SLOTS);
  taken[0]!();
  taken[0]!();
  await turn();
  expect(taken).toHaveLength(SLOTS + 1);
  taken.forEach((giveBack) => giveBack());
  await turn();
  expect(taken).toHaveLength(SLOTS + 2);
});

it('no longer counts a slow send', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
  try {
    const slots = new SendSlots();
    const taken = takeMany(slots, SLOTS + 1);
    await turn();
    jest.advanceTimersByTime(99);
    await turn();
    expect(taken).toHaveLength(SLOTS);
    jest.advanceTimersByTime(1);
    await turn();
    expect(taken).toHaveLength(SLOTS + 1);
    taken.forEach((giveBack) => giveBack());
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
