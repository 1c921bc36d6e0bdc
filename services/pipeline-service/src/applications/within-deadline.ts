import { unavailable } from './unavailable';

/** Milliseconds that an application, or a function, has for the whole of a request. Source: 30 s to the answer. */
const DEADLINE_MS = 25_000;

/**
 * Does what may hang.
 *
 * @param work gets a signal that fires at the deadline.
 * @throws Refusal ServiceUnavailable at the deadline, whatever the work does.
 */
export const withinDeadline = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<T> => {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(unavailable(`no answer within ${String(deadlineMs / 1_000)} s`));
      controller.abort();
    }, deadlineMs);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
};
