import { MemoryBudget } from '../progress/memory-budget';
import { isShortOfRoom, pageFor, type PageLimits } from './row-room';

const ONE_ROW = { rows: 1, maxBytes: 1 };

/** A budget of 1,000 bytes of which so many are taken by events and rows. */
const budgetWith = ({ events = 0, rows = 0 }): MemoryBudget => {
  const budget = new MemoryBudget(1_000);
  budget.take('events', events);
  budget.take('rows', rows);
  return budget;
};

const page = (budget: MemoryBudget, bytes: number, isBlocked = false): PageLimits | undefined =>
  pageFor(budget, { bytes, isBlocked });

it('gives a lane a page of at most 1 MB and 100 rows', () => {
  expect(page(new MemoryBudget(100_000_000), 0)).toEqual({ rows: 100, maxBytes: 1_000_000 });
  expect(page(budgetWith({}), 0)).toEqual({ rows: 100, maxBytes: 250 });
});

it('gives a lane no more than it leaves to others of a quarter of the budget', () => {
  expect(page(budgetWith({ rows: 124 }), 124)).toMatchObject({ maxBytes: 2 });
  expect(page(budgetWith({ rows: 125 }), 125)).toBeUndefined();
  expect(page(budgetWith({ rows: 125 }), 0)).toMatchObject({ maxBytes: 125 });
});

it('gives only as much as leaves the rest to the live reader', () => {
  expect(page(budgetWith({ events: 600 }), 10)).toMatchObject({ maxBytes: 100 });
  expect(page(budgetWith({ events: 700 }), 10)).toBeUndefined();
});

it.each([16, 32, 64, 128, 256])('gives whole numbers of bytes of %d MiB', (size) => {
  const budget = new MemoryBudget(size * 1024 * 1024);
  budget.take('events', Math.floor(0.7 * budget.maxBytes) - 1_234);
  expect(page(budget, 0)?.maxBytes).toBe(1_234);
});

it('gives a lane without rows one, beyond their share only while readers have room', () => {
  expect(page(budgetWith({ rows: 250 }), 0)).toEqual(ONE_ROW);
  expect(page(budgetWith({ events: 999 }), 0)).toEqual(ONE_ROW);
  expect(page(budgetWith({ events: 999 }), 1)).toBeUndefined();
  expect(page(budgetWith({ events: 549, rows: 250 }), 0)).toEqual(ONE_ROW);
  expect(page(budgetWith({ events: 550, rows: 250 }), 0)).toBeUndefined();
});

it('gives a blocked lane one row, for its probe', () => {
  expect(page(budgetWith({}), 0, true)).toEqual(ONE_ROW);
  expect(page(budgetWith({}), 1, true)).toBeUndefined();
});

it('is short of room when rows have half of their share, or the live reader needs the rest', () => {
  expect(isShortOfRoom(budgetWith({ rows: 124 }))).toBe(false);
  expect(isShortOfRoom(budgetWith({ rows: 125 }))).toBe(true);
  expect(isShortOfRoom(budgetWith({ events: 699 }))).toBe(false);
  expect(isShortOfRoom(budgetWith({ events: 700 }))).toBe(true);
});
