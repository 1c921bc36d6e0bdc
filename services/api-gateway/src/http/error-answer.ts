import { Refusal, type RefusalKind } from '@penstock/contracts';
import { LogOverloaded, LogUnavailable, RequestTimeout } from '@penstock/messaging';
import { KeyErased } from '@penstock/runtime';
import { HttpRefusal, retryAfter, unavailable } from './http-refusal';

/** An error as an HTTP answer. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string;
  readonly message: string;
  readonly details: readonly unknown[];
}

/** The stored refusal of a repeated request, which is answered in the same words. */
export class AnsweredBefore extends Error {
  override readonly name = 'AnsweredBefore';

  constructor(readonly answer: ErrorAnswer) {
    super(answer.message);
  }
}

/** Maps kinds of refusals to HTTP statuses; the only place that knows both. */
export const STATUS: Readonly<Record<RefusalKind, number>> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  absent: 404,
  conflict: 409,
  refused: 422,
  unavailable: 503,
};

/** Headers for answers of a kind, created for each answer. */
const HEADERS: Readonly<Partial<Record<RefusalKind, () => Readonly<Record<string, string>>>>> = {
  unauthenticated: () => ({ 'WWW-Authenticate': 'Bearer' }),
  unavailable: retryAfter,
};

export const errorAnswer = (error: unknown): ErrorAnswer => {
  if (error instanceof AnsweredBefore) return error.answer;
  // The workspace was deleted while the request was handled.
  if (error instanceof KeyErased) return refusalAnswer(new Refusal('WorkspaceNotExist'));
  if (error instanceof Refusal) return refusalAnswer(error);
  const refusal = error instanceof HttpRefusal ? error : lostDependency(error);
  const { status, headers, code, message, details } = refusal ?? new HttpRefusal('InternalError');
  return { status, headers, code, message, details };
};

const refusalAnswer = ({ kind, code, message, details }: Refusal): ErrorAnswer => {
  const headers = HEADERS[kind]?.() ?? {};
  return { status: STATUS[kind], headers, code, message, details };
};

const lostDependency = (error: unknown): HttpRefusal | undefined =>
  error instanceof LogUnavailable ||
  error instanceof LogOverloaded ||
  error instanceof RequestTimeout
    ? unavailable('the log cannot be reached', error)
    : undefined;

interface DetailWithValues {
  readonly values: string;
}

const hasValues = (detail: unknown): detail is DetailWithValues =>
  typeof detail === 'object' &&
  detail !== null &&
  'values' in detail &&
  typeof detail.values === 'string';

/** Writes a detail as JSON. Its member `values` is JSON text already and is inserted unchanged, with every digit. */
const detailText = (detail: unknown): string => {
  if (!hasValues(detail)) return JSON.stringify(detail);
  const { values, ...others } = detail;
  return `${JSON.stringify(others).slice(0, -1)},"values":${values}}`;
};

/** Writes the body of an error answer as JSON text. */
export const errorBody = ({ code, message, details }: ErrorAnswer): string => {
  const head = JSON.stringify({ code, message });
  if (details.length === 0) return `{"error":${head}}`;
  return `{"error":${head.slice(0, -1)},"details":[${details.map(detailText).join(',')}]}}`;
};
