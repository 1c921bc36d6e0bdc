import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 250;
/** Pause after a look, by the processor time that it takes: servers of a test run in its process, and stand still meanwhile. */
const PAUSE_SHARE = 9;

const cpuMs = (): number => process.cpuUsage().user / 1_000;

/** Default time limit, long enough for a loaded machine. */
const PATIENCE_MS = 90_000;

/**
 * Polls until there are no differences or the time is over, and returns the last ones, so that
 * `expect(await eventually(…)).toEqual([])` shows them.
 *
 * @param differences describes what is not as expected.
 * @param timeoutMs default 90 s.
 */
export const eventually = async <T>(
  differences: () => readonly T[] | Promise<readonly T[]>,
  timeoutMs = PATIENCE_MS,
): Promise<readonly T[]> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const before = cpuMs();
    const found = await differences();
    if (found.length === 0 || performance.now() > deadline) return found;
    await sleep(Math.max(POLL_MS, PAUSE_SHARE * (cpuMs() - before)));
  }
};
