import type { Lane } from '../lanes/lane';
import type { MemoryBudget } from '../progress/memory-budget';

/**
 * Whether there is memory for what is read again for the lane. A blocked lane needs little, the heads that it is probed
 * with, and may have it as the live reader may.
 */
export const hasMemory = ({ health }: Lane, budget: MemoryBudget): boolean =>
  health.isBlocked ? budget.hasRoom : budget.hasSpare;
