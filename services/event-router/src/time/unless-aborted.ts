/** Resolves to the answer, unless the signal aborts first. @throws the signal's reason. */
export const unlessAborted = async <T>(signal: AbortSignal, answer: Promise<T>): Promise<T> => {
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([aborted, answer]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
