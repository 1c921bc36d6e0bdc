import { Refusal } from '@penstock/contracts';
import { Invalid } from '@penstock/schema';
import { HttpRefusal, retryAfter } from '../http/http-refusal';
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

const INTAKE_STATUS: Readonly<Partial<Record<string, number>>> = {
  unauthenticated: 401,
  // Senders of a disabled organization keep their events and try again.
  refused: 503,
};

/** @returns undefined for an error that nobody foresaw. */
export const refusalAnswer = (error: unknown): IntakeAnswer | undefined => {
  if (error instanceof MalformedBody) {
    const { path, message } = error;
    return refused(400, 'BadRequest', `request is not valid: ${message}`, [{ path, message }]);
  }
  if (error instanceof Invalid)
    return refused(
      400,
      'BadRequest',
      'request is not valid: no event can be made of it',
      error.issues,
    );
  if (error instanceof HttpRefusal)
    return refused(error.status, error.code, error.message, error.details, error.headers);
  if (!(error instanceof Refusal)) return undefined;
  const status = INTAKE_STATUS[error.kind] ?? 400;
  const headers = status === 503 ? retryAfter() : NO_HEADERS;
  return refused(status, error.code, error.message, error.details, headers);
};

export const internalError = (): IntakeAnswer => {
  const { status, code, message } = new HttpRefusal('InternalError');
  return refused(status, code, message, []);
};
