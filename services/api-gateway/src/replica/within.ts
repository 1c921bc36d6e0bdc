/** @returns what the work gives, or `otherwise` when it takes longer; the work goes on then, unheard. */
export const within = async <T>(work: Promise<T>, timeoutMs: number, otherwise: T): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), timeoutMs);
  });
  return Promise.race([work, expired]).finally(() => clearTimeout(timer));
};
