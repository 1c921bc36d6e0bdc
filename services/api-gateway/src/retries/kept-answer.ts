import { Refusal } from '@penstock/contracts';
import { AnsweredBefore, type ErrorAnswer, errorAnswer } from '../http/error-answer';

/** A stored answer: the text of its body, if it has one, or an error. */
export type KeptAnswer =
  | { readonly is: 'success'; readonly body: string | null }
  | { readonly is: 'error'; readonly answer: ErrorAnswer };

/**
 * Statuses of errors that are stored: they depend on the request. Others depend on the moment only. Source: rulings on
 * safe retries.
 */
const KEPT: ReadonlySet<number> = new Set([400, 404, 409, 422]);

export const success = (body: string | undefined): KeptAnswer => ({
  is: 'success',
  body: body ?? null,
});

/** @returns `null` for an error that is not stored. */
export const failure = (error: unknown): KeptAnswer | null => {
  const answer = errorAnswer(error);
  return KEPT.has(answer.status) ? { is: 'error', answer } : null;
};

/** Creates the answer for a repetition whose answer was not stored. */
export const answerNotKept = (): KeptAnswer => ({
  is: 'error',
  answer: errorAnswer(
    new Refusal('Conflict', {
      message: 'the request was executed before, and its answer is not kept',
    }),
  ),
});

/** Returns a stored body, or throws. @throws AnsweredBefore with a stored error. */
export const again = (kept: KeptAnswer): string | undefined => {
  if (kept.is === 'error') throw new AnsweredBefore(kept.answer);
  return kept.body ?? undefined;
};
