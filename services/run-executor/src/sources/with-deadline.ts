import { Away } from '../engine/away';

/**
 * Calls a connector with a limit of time.
 *
 * @param undo releases what the call gives when nobody waits for it any more.
 * @throws Away when it takes longer; the signal's reason; what the call throws.
 */
export const withDeadline = async <T>(
  ms: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
  undo?: (late: T) => Promise<void>,
): Promise<T> => {
  signal.throwIfAborted();
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Away(`no answer within ${String(ms / 1_000)} s`);
      reject(error);
      late.abort(error);
    }, ms);
    stop = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop);
  });
  const calling = call(AbortSignal.any([signal, late.signal]));
  try {
    return await Promise.race([calling, over]);
  } catch (error) {
    if (undo !== undefined) void calling.then(undo).catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
};
