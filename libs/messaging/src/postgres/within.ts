import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailable } from '../message-log';

/** @throws LogUnavailable when the answer takes longer. */
export const within = async <T>(timeoutMs: number, answer: Promise<T>): Promise<T> => {
  const timeout = new AbortController();
  const { signal } = timeout;
  const late = sleep(timeoutMs, undefined, { signal }).then(
    () => Promise.reject(new LogUnavailable(`PostgreSQL did not answer within ${timeoutMs} ms`)),
    () => answer,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    timeout.abort();
    late.catch(() => undefined);
  }
};
