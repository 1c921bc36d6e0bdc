import { WarehouseFault } from '../../platform/warehouse';

/** How often something is begun anew when somebody else's session has held what it needs. */
const MOST_TRIES = 4;

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
    }
};
