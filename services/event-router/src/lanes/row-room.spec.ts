import { MemoryBudget } from '../progress/memory-budget';
import { pageFor } from './row-room';

const ONE_ROW = { rows: 1, maxBytes: 1 };

/** A budget of 1,000 bytes of which so many are taken by events and rows. */
const budgetWith = ({ events = 0, rows = 0 }): MemoryBudget => {
  const budget = new MemoryBudget(1_000);
  budget.take('events', events);
  budget.take('rows', rows);
  return budget;
};

it('gives a lane a page of at most 1 MB and 100 rows', () => {
  expect(pageFor(new MemoryBudget(100_000_000), 0)).toEqual({ rows: 100, maxBytes: 1_000_000 });
  expect(pageFor(budgetWith({}), 0)).toEqual({ rows: 100, maxBytes: 250 });
});

it('gives a lane no more than it leaves to others of a quarter of the budget', () => {
  expect(pageFor(budgetWith({ rows: 124 }), 124)).toMatchObject({ maxBytes: 2 });
  expect(pageFor(budgetWith({ rows: 125 }), 125)).toBeUndefined();
  expect(pageFor(budgetWith({ rows: 125 }), 0)).toMatchObject({ maxBytes: 125 });
});

it('gives only as much as leaves the rest to the live reader', () => {
  expect(pageFor(budgetWith({ events: 600 }), 10)).toMatchObject({ maxBytes: 100 });
  expect(pageFor(budgetWith({ events: 700 }), 10)).toBeUndefined();
});

it('gives a lane without rows one, unless the whole budget is used', () => {
  expect(pageFor(budgetWith({ rows: 250 }), 0)).toEqual(ONE_ROW);
  expect(pageFor(budgetWith({ events: 999 }), 0)).toEqual(ONE_ROW);
  expect(pageFor(budgetWith({ events: 999 }), 1)).toBeUndefined();
  expect(pageFor(budgetWith({ events: 1_000 }), 0)).toBeUndefined();
});
