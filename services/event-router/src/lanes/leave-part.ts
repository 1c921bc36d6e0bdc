import type { Lane } from './lane';
import type { LaneContext } from './lane-context';
import type { LanePart } from './lane-part';

/** Removes from memory what is neither in a request nor being loaded. @returns whether nothing is. */
export const leavePart = (
  part: LanePart,
  { flow }: Pick<Lane, 'flow'>,
  { endings }: Pick<LaneContext, 'endings'>,
): boolean => {
  for (const key of [...part.keys.values()]) {
    if (key.state === 'sending' || key.state === 'loading') continue;
    for (const delivery of [...key.live.splice(0), ...key.loaded.splice(0)])
      endings.letGo(key, delivery);
    flow.troubled.delete(key);
    part.forget(key);
  }
  flow.ready = flow.ready.filter(({ isForgotten }) => !isForgotten);
  return part.keys.size === 0;
};
