import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 250;

/** For what a loaded machine may take its time with. */
const PATIENCE_MS = 90_000;

/**
 * What is still wrong, once nothing is or the time is over: `expect(await eventually(…)).toEqual([])` shows by what it
 * failed.
 *
 * @param differences names what is not as it must be.
 * @param timeoutMs default 90 s.
 */
export const eventually = async <T>(
  differences: () => readonly T[] | Promise<readonly T[]>,
  timeoutMs = PATIENCE_MS,
): Promise<readonly T[]> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await differences();
    if (found.length === 0 || performance.now() > deadline) return found;
    await sleep(POLL_MS);
  }
};
