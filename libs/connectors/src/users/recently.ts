import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import type { Answer } from '../connector/user-source';

/** How long what an application has told is taken for what it would tell. */
const KEPT_MS = 60_000;

interface Kept<T> {
  readonly answer: Answer<T>;
  readonly untilMs: number;
}

/**
 * Reads something of an application once a minute at most for the same settings: a run reads with the same ones all the
 * time. Only what was answered is kept.
 *
 * @param nowMs milliseconds of a clock that never goes back.
 */
export const recently = <T>(
  read: (settings: Settings, context: CallContext) => Promise<Answer<T>>,
  nowMs: () => number = () => performance.now(),
): ((settings: Settings, context: CallContext) => Promise<Answer<T>>) => {
  const kept = new WeakMap<Settings, Kept<T>>();
  return async (settings, context) => {
    const known = kept.get(settings);
    if (known !== undefined && nowMs() < known.untilMs) return known.answer;
    const untilMs = nowMs() + KEPT_MS;
    const answer = await read(settings, context);
    if (answer.kind === 'answered') kept.set(settings, { answer, untilMs });
    return answer;
  };
};
