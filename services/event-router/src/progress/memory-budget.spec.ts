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

it('has room below 80 %, and then not before it is below 60 % again', async () => {
  const budget = new MemoryBudget(100);
  budget.take('events', 79);
  expect([budget.isTight, budget.hasRoom]).toEqual([false, true]);
  budget.take('values', 1);
  expect([budget.isTight, budget.hasRoom]).toEqual([true, false]);
  const waits = budget.room();
  budget.release('events', 20);
  expect([budget.isRelieved, await settled(waits)]).toEqual([false, false]);
  budget.release('events', 1);
  expect([budget.isRelieved, await settled(waits)]).toEqual([true, true]);
  expect(budget.usedByKind).toEqual({ events: 58, rows: 0, deliveries: 0, values: 1 });
  expect(budget.used).toBe(59);
});
