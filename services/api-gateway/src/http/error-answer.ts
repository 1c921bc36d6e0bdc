import { Refusal, type RefusalKind } from '@penstock/contracts';
import { LogOverloaded, LogUnavailable, RequestTimeout } from '@penstock/messaging';
import { KeyErased } from '@penstock/runtime';
import { HttpRefusal, retryAfter, unavailable } from './http-refusal';

/** How an error is told over HTTP. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string;
  readonly message: string;
  readonly details: readonly unknown[];
}

/** A request that was refused before, and is refused in the same words again. */
export class AnsweredBefore extends Error {
  override readonly name = 'AnsweredBefore';

  constructor(readonly answer: ErrorAnswer) {
    super(answer.message);
  }
}

/** The only place that knows both the domain's refusals and HTTP's numbers. */
export const STATUS: Readonly<Record<RefusalKind, number>> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  absent: 404,
  conflict: 409,
  refused: 422,
  unavailable: 503,
};

/** What goes with an answer of its kind, made anew for each. */
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

/** The values of a detail are JSON already: they are written as they are, to the last digit. */
const detailText = (detail: unknown): string => {
  if (!hasValues(detail)) return JSON.stringify(detail);
  const { values, ...others } = detail;
  return `${JSON.stringify(others).slice(0, -1)},"values":${values}}`;
};

/** The body of an error answer, JSON text. */
export const errorBody = ({ code, message, details }: ErrorAnswer): string => {
  const head = JSON.stringify({ code, message });
  if (details.length === 0) return `{"error":${head}}`;
  return `{"error":${head.slice(0, -1)},"details":[${details.map(detailText).join(',')}]}}`;
};
