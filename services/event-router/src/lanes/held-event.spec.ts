import { MemoryBudget } from '../progress/memory-budget';
import type { OwnedPartition } from '../progress/owned-partition';
import { HeldEvent } from './held-event';

const held = (body: string, budget: MemoryBudget): HeldEvent => {
  const read = { partition: {} as OwnedPartition, offset: 1, orderKey: 'key', receivedAtMs: 0 };
  return new HeldEvent({ ...read, event: {}, eventText: '', body, traceparent: undefined }, budget);
};

it('takes memory of the budget once, while it is held', () => {
  const budget = new MemoryBudget(1_000_000);
  const event = held('body', budget);
  expect(budget.used).toBe(0);
  event.hold();
  event.hold();
  expect(budget.used).toBe(event.bytes);
  event.release();
  expect(budget.used).toBe(event.bytes);
  event.release();
  expect(budget.used).toBe(0);
});

it('counts the bytes of its text, not its characters', () => {
  const budget = new MemoryBudget(1_000_000);
  const plain = held('a'.repeat(300), budget);
  expect(held('\u5b57'.repeat(300), budget).bytes - plain.bytes).toBe(600);
});
