import { classify, type Reading } from '../answers/classify';
import type { Outcome, SendContext } from '../connector/event-destination';
import { type IncomingResponse, NoAnswer, NotWritten } from '../connector/guarded-http';
import { toRequest, type Draft } from './draft';
import { NOT_SENT } from './not-sent';

export interface Sending extends Pick<Reading, 'secrets' | 'delivered' | 'errorText'> {
  /** Default where the context has none. */
  readonly timeoutMs: number;
}

export interface Sent {
  /** The outcome by the status, by the rules that all destinations share. */
  readonly outcome: Outcome;
  /** Absent when there was none. */
  readonly answer?: IncomingResponse;
}

/** Sends one request, unless the context forbids it. */
export const sendDraft = async (
  draft: Draft,
  { timeoutMs: usualMs, ...reading }: Sending,
  { http, signal, timeoutMs = usualMs, mayWrite }: Omit<SendContext, 'connection'>,
): Promise<Sent> => {
  const request = toRequest(draft, { timeoutMs, ...(mayWrite && { mayWrite }) });
  try {
    const answer = await http.request(request, signal);
    return { answer, outcome: classify(answer, { ...reading, nowMs: Date.now() }) };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    if (error instanceof NotWritten) return { outcome: NOT_SENT };
    return { outcome: { kind: 'unavailable', reason: error.message } };
  }
};
