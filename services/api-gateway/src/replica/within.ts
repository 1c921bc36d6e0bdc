/**
 * Waits for a result with a time limit.
 *
 * @returns the result, or `otherwise` when it takes longer; a later result is ignored.
 */
export const within = async <T>(work: Promise<T>, timeoutMs: number, otherwise: T): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), timeoutMs);
  });
  return Promise.race([work, expired]).finally(() => clearTimeout(timer));
};
