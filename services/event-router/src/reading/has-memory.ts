import type { Lane } from '../lanes/lane';
import type { MemoryBudget } from '../progress/memory-budget';

/**
 * Whether there is memory for the lane to catch up: it may have as much as it leaves to others, so that a slow one does
 * not take everything. A blocked lane needs only a few deliveries for probes, so that it may use as much as the live
 * reader.
 */
export const hasMemory = ({ health, bytes }: Lane, budget: MemoryBudget): boolean =>
  health.isBlocked ? budget.hasRoom : bytes < budget.spareBytes;
