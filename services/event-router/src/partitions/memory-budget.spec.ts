import { MemoryBudget } from './memory-budget';

const settled = async (promise: Promise<void>): Promise<boolean> =>
  Promise.race([
    promise.then(() => true),
    new Promise<false>((resolve) =>
      setImmediate(() => {
        resolve(false);
      }),
    ),
  ]);

it('gives room below the budget and makes wait at it', async () => {
  const budget = new MemoryBudget(100);
  budget.take(99);
  expect(await settled(budget.room())).toBe(true);
  budget.take(1);
  const waits = budget.room();
  expect(await settled(waits)).toBe(false);
  budget.release(1);
  expect(await settled(waits)).toBe(true);
});
