import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 60_000;
const LOOK_MS = 20;

/** Resolves when the condition holds. @throws Error when it does not within a minute. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + PATIENCE_MS;
  for (; Date.now() < end; await pause(LOOK_MS)) if (await isSo()) return;
  throw new Error(`did not come about within ${PATIENCE_MS / 1_000} s`);
};
