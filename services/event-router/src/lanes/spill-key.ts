import type { LiveDelivery } from './delivery';
import type { KeyQueue } from './key-queue';
import type { LaneContext } from './lane-context';
import type { LanePart } from './lane-part';
import type { SpillAllowance } from './spill-allowance';

/** Moves live deliveries of the key to the store with their bodies, as far as `maxRowsPerKey` allows. */
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

/** Detaches the key: its live deliveries leave memory and are read from the log again. */
const detach = (part: LanePart, key: KeyQueue, { endings, clock, onBehind }: LaneContext): void => {
  const asleep = key.live.splice(0).map((delivery: LiveDelivery) => {
    endings.letGo(key, delivery);
    return delivery.entry;
  });
  part.detachKey(key.id, part.position, asleep, clock.nowMs());
  onBehind(part);
};

/**
 * Frees the memory of a failing key, so that it does not block its lane: moves its deliveries to the store, and
 * detaches the key when it has as many rows as it may. What exceeds the allowance is left for the next call.
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
