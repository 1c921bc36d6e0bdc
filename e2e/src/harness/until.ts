import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

/** Default time limit, long enough for a loaded machine. */
const PATIENCE_MS = 90_000;

/**
 * Waits until the condition holds.
 *
 * @param what names the condition in the error after the time limit; a function can add what was seen last.
 */
export const until = async (
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  timeoutMs = PATIENCE_MS,
): Promise<void> => {
  for (const deadline = performance.now() + timeoutMs; !(await holds()); await sleep(POLL_MS))
    if (performance.now() > deadline)
      throw new Error(
        `not within ${String(timeoutMs)} ms: ${typeof what === 'string' ? what : what()}`,
      );
};
