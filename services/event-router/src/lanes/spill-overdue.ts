import type { Lane } from './lane';
import { SpillAllowance } from './spill-allowance';

/** Bytes of events that may move to the store at one look. */
const MAX_BYTES = 1_000_000;

/**
 * Moves keys that have failed for some time out of the way of their lanes, in small steps: each workspace with such keys
 * has an equal part of what may move at one call, so has each of its lanes, and each lane moves one delivery at least.
 * To be called now and then.
 */
export const spillOverdue = (
  lanes: Iterable<Lane>,
  workspaceOf: (lane: Lane['connection']) => string,
  maxRows: number,
): void => {
  const overdue = new Map<string, Lane[]>();
  for (const lane of lanes) {
    if (!lane.hasOverdue) continue;
    const workspace = workspaceOf(lane.connection);
    const own = overdue.get(workspace);
    if (own === undefined) overdue.set(workspace, [lane]);
    else own.push(lane);
  }
  for (const own of overdue.values()) {
    const parts = overdue.size * own.length;
    for (const lane of own) lane.spill(new SpillAllowance(maxRows / parts, MAX_BYTES / parts));
  }
};
