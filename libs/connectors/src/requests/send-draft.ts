import { classify } from '../answers/classify';
import type { Outcome, SendContext } from '../event-destination';
import { type IncomingResponse, NoAnswer } from '../guarded-http';
import { toRequest, type Draft } from './draft';

export interface Sending {
  readonly timeoutMs: number;
  /** Never shown in the outcome. */
  readonly secrets: readonly string[];
  /** Statuses that mean delivered; default 200 to 299. */
  readonly delivered?: ReadonlySet<number>;
}

export interface Sent {
  /** What the status says, by the rules that all destinations share. */
  readonly outcome: Outcome;
  /** Absent when there was none. */
  readonly answer?: IncomingResponse;
}

/** Sends one request. */
export const sendDraft = async (
  draft: Draft,
  { timeoutMs, ...reading }: Sending,
  { http, signal }: SendContext,
): Promise<Sent> => {
  try {
    const answer = await http.request(toRequest(draft, timeoutMs), signal);
    return { answer, outcome: classify(answer, { ...reading, nowMs: Date.now() }) };
  } catch (error) {
    if (error instanceof NoAnswer)
      return { outcome: { kind: 'unavailable', reason: error.message } };
    throw error;
  }
};
