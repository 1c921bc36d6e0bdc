import { Refusal } from '@penstock/contracts';
import { Invalid, type Issue } from '@penstock/schema';
import { errorAnswer } from '../http/error-answer';
import { retryAfter } from '../http/http-refusal';
import { MalformedBody } from './event/malformed-body';
import type { Rejection } from './event/rejection';

export interface IntakeAnswer {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An event that was not accepted, as its sender is told. */
export interface Rejected extends Rejection {
  /** Where it stood in the request, from 0. */
  readonly index: number;
  readonly messageId?: string;
}

/** A member of a context that was left out of an event. */
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

/** Code and message also stand at the top: there the public SDKs look for them. */
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

/** How an error is told to a sender. */
export const refusalAnswer = (error: unknown): IntakeAnswer => {
  if (error instanceof MalformedBody) return badRequest(error.message, [error]);
  if (error instanceof Invalid) return badRequest('no event can be made of it', error.issues);
  const { status, headers, code, message, details } = errorAnswer(error);
  // Senders of a disabled organization keep their events and try again.
  if (error instanceof Refusal && error.kind === 'refused')
    return refused(503, code, message, details, retryAfter());
  return refused(status, code, message, details, headers);
};

const badRequest = (because: string, issues: readonly Issue[]): IntakeAnswer => {
  const details = issues.map(({ path, message }) => ({ path, message }));
  return refused(400, 'BadRequest', `request is not valid: ${because}`, details);
};
