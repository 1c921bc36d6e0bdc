import type { Lane } from '../lanes/lane';
import type { MemoryBudget } from '../progress/memory-budget';

/**
 * Whether there is memory for the lane to catch up. A blocked lane needs only a few deliveries for probes, so that it
 * may use as much as the live reader.
 */
export const hasMemory = ({ health }: Lane, budget: MemoryBudget): boolean =>
  health.isBlocked ? budget.hasRoom : budget.hasSpare;
