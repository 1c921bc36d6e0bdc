import type { Lane } from './lane';
import { SpillAllowance } from './spill-key';

/**
 * What all lanes together may move to the store at one look: a commit with thousands of rows, and their reading again,
 * would keep everybody else's deliveries waiting.
 */
const MAX_ROWS = 200;
const MAX_BYTES = 1_000_000;

/**
 * Moves keys that have failed for some time out of the way of their lanes, in small steps: each lane with such keys has
 * an equal part of what may move at one look, and at least one delivery. To be called now and then.
 */
export const spillOverdue = (lanes: Iterable<Lane>): void => {
  const overdue = [...lanes].filter((lane) => lane.hasOverdue);
  for (const lane of overdue)
    lane.spill(new SpillAllowance(MAX_ROWS / overdue.length, MAX_BYTES / overdue.length));
};
