import { unavailable } from '../command-handling/unavailable';

/** Milliseconds that an application, or a function, has for the whole of a request. Source: 30 s to the answer. */
const DEADLINE_MS = 25_000;

/**
 * Does what may hang.
 *
 * @param work gets a signal that fires at the deadline, or with `until`.
 * @param until fires when nobody waits any more.
 * @throws Refusal ServiceUnavailable at the deadline, or the reason of `until`, whatever the work does.
 */
export const withinDeadline = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
  until?: AbortSignal,
  deadlineMs = DEADLINE_MS,
): Promise<T> => {
  until?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => {
    controller.abort(unavailable(`no answer within ${String(deadlineMs / 1_000)} s`));
  }, deadlineMs);
  const abort = (): void => {
    controller.abort(until?.reason);
  };
  until?.addEventListener('abort', abort, { once: true });
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
  try {
    return await Promise.race([work(signal), late]);
  } finally {
    clearTimeout(timer);
    until?.removeEventListener('abort', abort);
  }
};
