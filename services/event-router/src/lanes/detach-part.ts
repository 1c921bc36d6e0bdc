import type { OpenEntry } from '../progress/open-deliveries';
import type { KeyQueue } from './key-queue';
import type { Lane } from './lane';
import type { LaneContext } from './lane-context';
import type { LanePart } from './lane-part';
import { unloadRows } from './unload-rows';

const unload = (key: KeyQueue, { flow }: Lane, { endings }: LaneContext): void => {
  unloadRows(key, endings);
  if (key.state === 'transforming' && key.needsLoading) flow.proceed(key);
};

/** Removes all loaded rows of the part from memory. */
export const unloadPart = (part: LanePart, lane: Lane, context: LaneContext): void => {
  for (const key of part.keys.values()) unload(key, lane, context);
};

/** Detaches the lane in one partition at `position` and removes from memory what is not in a request. */
export const detachPart = (
  part: LanePart,
  position: number,
  lane: Lane,
  context: LaneContext,
): void => {
  const asleep: OpenEntry[] = [];
  for (const key of part.keys.values()) {
    for (const delivery of key.live.splice(0)) {
      asleep.push(delivery.entry);
      context.endings.letGo(key, delivery);
    }
    if (lane.health.isBlocked) unload(key, lane, context);
    if (!key.isEmpty || key.state === 'sending' || key.state === 'loading') continue;
    lane.flow.troubled.delete(key);
    part.forget(key);
  }
  lane.flow.ready = lane.flow.ready.filter(({ isForgotten }) => !isForgotten);
  part.detach(position, asleep, context.clock.nowMs());
  context.onBehind(part);
};
