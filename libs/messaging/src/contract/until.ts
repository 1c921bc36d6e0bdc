import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds. @throws Error naming it after `timeoutMs`. */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 45_000,
): Promise<void> => {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`never came: ${what}`);
    await sleep(10);
  }
};
