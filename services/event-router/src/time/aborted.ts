/** Resolves when the signal aborts; at once if it has. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      resolve();
    };
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });

/** Resolves to the answer, unless the signal aborts first. @throws the signal's reason. */
export const unlessAborted = async <T>(signal: AbortSignal, answer: Promise<T>): Promise<T> => {
  let abort: () => void = () => undefined;
  const rejection = new Promise<never>((_, reject) => {
    abort = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([rejection, answer]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
