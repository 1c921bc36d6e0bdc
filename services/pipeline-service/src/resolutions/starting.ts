import {
  type Actor,
  instant,
  type ResolutionId,
  type StartedResolution,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';

/** What of a resolution that starts now is made with it. */
export const starting = (
  actor: Actor,
): Pick<StartedResolution, 'resolution' | 'startedAt' | 'actor'> => ({
  resolution: newId() as ResolutionId,
  startedAt: instant(new Date()),
  actor,
});
