import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailable } from './message-log';

/** Rejects when the answer takes longer than `timeoutMs`. @throws LogUnavailable naming `who` did not answer. */
export const within = async <T>(timeoutMs: number, who: string, answer: Promise<T>): Promise<T> => {
  const timeout = new AbortController();
  const { signal } = timeout;
  const late = sleep(timeoutMs, undefined, { signal }).then(
    () => Promise.reject(new LogUnavailable(`${who} did not answer within ${timeoutMs} ms`)),
    () => answer,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    timeout.abort();
    late.catch(() => undefined);
  }
};
