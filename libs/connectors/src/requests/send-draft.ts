import { classify } from '../answers/classify';
import type { Outcome, SendContext } from '../event-destination';
import { NoAnswer } from '../guarded-http';
import { toRequest, type Draft } from './draft';

export interface Sending {
  readonly timeoutMs: number;
  /** Never shown in the outcome. */
  readonly secrets: readonly string[];
  /** Statuses that mean delivered; default 200 to 299. */
  readonly delivered?: ReadonlySet<number>;
}

/** Sends one request and reads its answer by the rules that all destinations share. */
export const sendDraft = async (
  draft: Draft,
  { timeoutMs, ...reading }: Sending,
  { http, signal }: SendContext,
): Promise<Outcome> => {
  try {
    const response = await http.request(toRequest(draft, timeoutMs), signal);
    return classify(response, { ...reading, nowMs: Date.now() });
  } catch (error) {
    if (error instanceof NoAnswer) return { kind: 'unavailable', reason: error.message };
    throw error;
  }
};
