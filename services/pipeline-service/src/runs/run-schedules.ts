/** A slot is decided this long after it began, at most, while the database answers. */
const LOOK_MS = 1_000;

/**
 * Looks for due slots, or what else is due, every second.
 *
 * @param scheduler `look` does what is due. It returns whether more may be due at once.
 * @param onError called with each failure; the next look tries again.
 * @param onSuccess called after each look that has not failed.
 * @returns a function that stops it, after the look under way.
 */
export const runSchedules = (
  scheduler: { look(): Promise<boolean> },
  onError: (error: unknown) => void,
  onSuccess: () => void = () => undefined,
): (() => Promise<void>) => {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      while (!isStopped && (await scheduler.look()));
      onSuccess();
    } catch (error) {
      onError(error);
    }
    if (!isStopped) next();
  };
  const next = (): void => {
    timer = setTimeout(() => {
      looking = look();
    }, LOOK_MS);
  };
  next();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return looking;
  };
};
