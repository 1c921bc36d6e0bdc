import type { Clock } from './clock';
import { unlessAborted } from './aborted';

/** There was no answer in time. The call may still take effect. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  constructor(limitMs: number) {
    super(`there was no answer within ${String(limitMs)} ms`);
  }
}

/** Resolves to the answer, if it comes within the time. @throws Unanswered */
export const within = async <T>(clock: Clock, limitMs: number, answer: Promise<T>): Promise<T> => {
  const limit = new AbortController();
  const cancel = clock.after(limitMs, () => {
    limit.abort(new Unanswered(limitMs));
  });
  try {
    return await unlessAborted(limit.signal, answer);
  } finally {
    cancel();
  }
};
