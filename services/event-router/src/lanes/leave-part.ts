import type { Lane } from './lane';
import type { LaneContext } from './lane-context';
import type { LanePart } from './lane-part';

/** Removes from memory what is not in a request. @returns whether nothing is in a request. */
export const leavePart = (
  part: LanePart,
  { flow }: Pick<Lane, 'flow'>,
  { endings }: Pick<LaneContext, 'endings'>,
): boolean => {
  for (const key of [...part.keys.values()]) {
    if (key.state === 'sending') continue;
    for (const delivery of [...key.live.splice(0), ...key.loaded.splice(0)])
      endings.letGo(key, delivery);
    flow.troubled.delete(key);
    part.forget(key);
  }
  flow.ready = flow.ready.filter(({ isForgotten }) => !isForgotten);
  return part.keys.size === 0;
};
