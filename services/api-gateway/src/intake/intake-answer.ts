import { Refusal } from '@penstock/contracts';
import { Invalid, type Issue } from '@penstock/schema';
import { errorAnswer } from '../http/error-answer';
import { retryAfter } from '../http/http-refusal';
import { MalformedBody } from './event/malformed-body';
import type { Rejection } from './event/rejection';

export interface IntakeAnswer {
  readonly status: number;
  /** Body as JSON text. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A rejected event, as reported to its sender. */
export interface Rejected extends Rejection {
  /** Index in the request, from 0. */
  readonly index: number;
  readonly messageId?: string;
}

/** A member of a context that was dropped from an event. */
export interface Warning {
  readonly index: number;
  readonly path: string;
  readonly message: string;
}

const NO_HEADERS = {};

export const accepted = (
  count: number,
  rejected: readonly Rejected[],
  warnings: readonly Warning[],
): IntakeAnswer => ({
  status: 200,
  body:
    rejected.length === 0 && warnings.length === 0
      ? `{"accepted":${String(count)}}`
      : JSON.stringify({
          accepted: count,
          ...(rejected.length > 0 && { rejected }),
          ...(warnings.length > 0 && { warnings }),
        }),
  headers: NO_HEADERS,
});

/** Writes an error. Code and message are also top-level members, where the public SDKs look for them. */
const refused = (
  status: number,
  code: string,
  message: string,
  details: readonly unknown[],
  headers: Readonly<Record<string, string>> = NO_HEADERS,
): IntakeAnswer => ({
  status,
  body: JSON.stringify({
    code,
    message,
    error: { code, message, ...(details.length > 0 && { details }) },
  }),
  headers,
});

export const allRejected = (rejected: readonly Rejected[]): IntakeAnswer =>
  refused(400, 'BadRequest', 'request is not valid: none of its events is', rejected);

/** Converts an error into the answer for a sender of events. */
export const refusalAnswer = (error: unknown): IntakeAnswer => {
  if (error instanceof MalformedBody) return badRequest(error.message, [error]);
  if (error instanceof Invalid) return badRequest('no event can be made of it', error.issues);
  const { status, headers, code, message, details } = errorAnswer(error);
  // Senders of a disabled organization are to keep their events and retry: 503.
  if (error instanceof Refusal && error.kind === 'refused')
    return refused(503, code, message, details, retryAfter());
  return refused(status, code, message, details, headers);
};

const badRequest = (because: string, issues: readonly Issue[]): IntakeAnswer => {
  const details = issues.map(({ path, message }) => ({ path, message }));
  return refused(400, 'BadRequest', `request is not valid: ${because}`, details);
};
