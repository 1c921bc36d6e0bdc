import type { LiveDelivery } from './delivery';
import type { KeyQueue } from './key-queue';
import type { LaneContext } from './lane-context';
import type { LanePart } from './lane-part';
import type { SpillAllowance } from './spill-allowance';

/** Moves what waits behind the head of a key to the store, bodies and all, as far as the key may have rows. */
const store = (
  key: KeyQueue,
  { endings, options }: LaneContext,
  allowance: SpillAllowance,
): void => {
  const room = Math.max(0, options.maxRowsPerKey - key.storedRows);
  const stored = key.live.splice(0, allowance.take(key.live.slice(0, room)));
  if (stored.length === 0) return;
  for (const delivery of stored) endings.spill(key, delivery);
  key.storedRows += stored.length;
  key.rowsFrom = key.partition.sequenceToCome;
};

/** What is in memory of the key leaves it; the key is brought up by reading the log again. */
const detach = (part: LanePart, key: KeyQueue, { endings, clock, onBehind }: LaneContext): void => {
  const asleep = key.live.splice(0).map((delivery: LiveDelivery) => {
    endings.letGo(key, delivery);
    return delivery.entry;
  });
  part.detachKey(key.id, part.position, asleep, clock.nowMs());
  onBehind(part);
};

/**
 * A key that fails must not hold its lane: what waits goes to the store, and beyond the rows that a key may have its
 * place in the log is kept instead. What is not allowed now is left for the next look.
 */
export const spillKey = (
  part: LanePart,
  key: KeyQueue,
  context: LaneContext,
  allowance: SpillAllowance,
): void => {
  store(key, context, allowance);
  const isFull = key.storedRows >= context.options.maxRowsPerKey;
  if (isFull && key.live.length > 0) detach(part, key, context);
};
