import type { Lane } from '../lanes/lane';
import type { MemoryBudget } from '../progress/memory-budget';
import { hasMemory } from './has-memory';

const laneOf = (bytes: number, isBlocked = false): Lane =>
  ({ bytes, health: { isBlocked } }) as Lane;

const budgetOf = (spareBytes: number, hasRoom = true): MemoryBudget =>
  ({ spareBytes, hasRoom }) as MemoryBudget;

it('a lane that catches up has as much memory as it leaves to others, and no more', () => {
  expect(hasMemory(laneOf(999), budgetOf(1_000))).toBe(true);
  expect(hasMemory(laneOf(1_000), budgetOf(1_000))).toBe(false);
  expect(hasMemory(laneOf(0), budgetOf(0))).toBe(false);
});

it('a blocked lane has memory as long as there is room', () => {
  expect(hasMemory(laneOf(1_000, true), budgetOf(1_000))).toBe(true);
  expect(hasMemory(laneOf(0, true), budgetOf(1_000, false))).toBe(false);
});
