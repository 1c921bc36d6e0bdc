import type { Outcome } from '../connector/event-destination';
import type { IncomingResponse } from '../connector/guarded-http';
import type { ErrorText } from './error-text';
import { excerpt } from './excerpt';
import { readAnswer } from './read-answer';
import { retryAfterMs } from './retry-after';

/** Client errors that pass by themselves, or (401, 403) once the settings are right: the event is not at fault. */
const PASSING = new Set([401, 403, 408, 425, 429]);

export interface Reading {
  /** Statuses that mean delivered; default 200 to 299. */
  readonly delivered?: ReadonlySet<number>;
  /** Never shown, should the answer repeat them. */
  readonly secrets: readonly string[];
  /** Default: the body as it stands, which stands for what is not as documented, too. */
  readonly errorText?: ErrorText;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** What an answer means for all events of its request. A redirect that was not followed is a rejection. */
export const classify = (
  { status, headers, body }: IncomingResponse,
  { delivered, secrets, errorText, nowMs }: Reading,
): Outcome => {
  if (delivered?.has(status) ?? (status >= 200 && status <= 299))
    return { kind: 'delivered', status };
  const text = excerpt(errorText?.(readAnswer(body)) ?? body, secrets);
  const reason = `answered ${String(status)}${text === '' ? '' : `: ${text}`}`;
  if (status < 500 && !PASSING.has(status)) return { kind: 'rejected', reason, status };
  const wait = retryAfterMs(headers['retry-after'], nowMs);
  return {
    kind: 'unavailable',
    reason,
    status,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
};
