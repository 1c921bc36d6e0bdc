import { unavailable } from '@penstock/platform';

/** Milliseconds for an application or a function within one request. Source: 30 s to the answer. */
const DEADLINE_MS = 25_000;

/**
 * Does work that may hang, and stops waiting for it at a deadline.
 *
 * @param work gets a signal that fires at the deadline, or with `until`.
 * @param until fires when the client no longer waits for the answer.
 * @throws Refusal ServiceUnavailable at the deadline, or the reason of `until`, even if the work ignores the signal.
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
