import type { Lane } from './lane';
import { SpillAllowance } from './spill-allowance';

/** Bytes of events that may be spilled at one call. */
const MAX_BYTES = 1_000_000;

/**
 * Spills the deliveries of keys that have failed for too long, in small steps: the rows and bytes of one call are
 * divided equally between the workspaces that have such keys, then between the lanes of each; each lane moves at least
 * one delivery. Call it periodically.
 */
export const spillOverdue = (
  lanes: Iterable<Lane>,
  workspaceOf: (lane: Lane['destination']) => string,
  maxRows: number,
): void => {
  const overdue = new Map<string, Lane[]>();
  for (const lane of lanes) {
    if (!lane.hasOverdue) continue;
    const workspace = workspaceOf(lane.destination);
    const own = overdue.get(workspace);
    if (own === undefined) overdue.set(workspace, [lane]);
    else own.push(lane);
  }
  for (const own of overdue.values()) {
    const parts = overdue.size * own.length;
    for (const lane of own) lane.spill(new SpillAllowance(maxRows / parts, MAX_BYTES / parts));
  }
};
