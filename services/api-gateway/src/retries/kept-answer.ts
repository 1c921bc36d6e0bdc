import { Refusal } from '@penstock/contracts';
import { AnsweredBefore, type ErrorAnswer, errorAnswer } from '../http/error-answer';

/** What a request was answered: the text of its body, if it has one, or an error. */
export type KeptAnswer =
  | { readonly is: 'success'; readonly body: string | null }
  | { readonly is: 'error'; readonly answer: ErrorAnswer };

/** Source: rulings on safe retries. Others say nothing of the request, only of the moment. */
const KEPT: ReadonlySet<number> = new Set([400, 404, 409, 422]);

export const success = (body: string | undefined): KeptAnswer => ({
  is: 'success',
  body: body ?? null,
});

/** @returns `null` for an error that is not kept. */
export const failure = (error: unknown): KeptAnswer | null => {
  const answer = errorAnswer(error);
  return KEPT.has(answer.status) ? { is: 'error', answer } : null;
};

/** Stands for an answer that cannot be given again. */
export const answerNotKept = (): KeptAnswer => ({
  is: 'error',
  answer: errorAnswer(
    new Refusal('Conflict', { message: 'the request was answered, and its answer is not kept' }),
  ),
});

/** @throws AnsweredBefore what was answered when that is an error. */
export const again = (kept: KeptAnswer): string | undefined => {
  if (kept.is === 'error') throw new AnsweredBefore(kept.answer);
  return kept.body ?? undefined;
};
