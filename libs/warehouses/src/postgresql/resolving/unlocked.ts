import { setTimeout as sleep } from 'node:timers/promises';
import { WarehouseFault } from '../../platform/warehouse';

/** How often something is begun anew when somebody else's session has held what it needs, and how long others have their turn. */
const MOST_TRIES = 4;
const PAUSE_MS = 500;

const isLocked = (error: unknown): boolean =>
  error instanceof WarehouseFault && error.kind === 'locked';

/** Does work again that somebody else's session was in the way of. @param signal ends the tries. */
export const unlocked = async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
  for (let tries = 1; ; tries += 1)
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isLocked(error) || tries === MOST_TRIES) throw error;
      await sleep(PAUSE_MS * tries, undefined, signal && { signal });
    }
};
