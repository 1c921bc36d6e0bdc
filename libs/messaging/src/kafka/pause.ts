import { setTimeout as sleep } from 'node:timers/promises';

/** Waits; ends early, without an error, when the signal is aborted. */
export const pause = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
};

/** Returns a doubling pause with a fifth of jitter, so that many writers do not retry at the same time. */
export const backoffMs = (attempt: number, firstMs: number, lastMs: number): number => {
  const ms = Math.min(lastMs, firstMs * 2 ** Math.min(attempt - 1, 20));
  return ms * (0.8 + 0.2 * Math.random());
};
