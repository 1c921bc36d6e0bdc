import type { ErrorText } from '../answers/error-text';
import type { Outcome, SendContext } from '../connector/event-destination';
import type { IncomingResponse } from '../connector/guarded-http';
import type {
  OutgoingUser,
  UpsertFailure,
  UpsertResult,
  UserOutcome,
} from '../connector/user-destination';
import { batchKey } from '../requests/batch-key';
import type { Draft } from '../requests/draft';
import { sendDraft } from '../requests/send-draft';

/** For a whole request to a vendor. */
const TIMEOUT_MS = 30_000;
/** Refused before anything was done. */
const NOT_EXECUTED = new Set([401, 403, 425, 429]);

/** One request that writes users, made and not yet sent. */
export interface UserRequest {
  /** Without the idempotency key. */
  readonly draft: Draft;
  /** Users from the front that it carries, 1 or more. */
  readonly users: readonly OutgoingUser[];
  /** Never shown in the result. */
  readonly secrets: readonly string[];
  readonly errorText: ErrorText;
  /** Statuses below 500 that may pass; whether the request was executed is then unknown. */
  readonly passing?: ReadonlySet<number>;
  /**
   * The outcome of each user by the answer; undefined when the answer does not tell. Asked for every status below 500
   * but 401, 403, 408, 425 and 429, which are errors of the whole request.
   */
  readonly read: (answer: IncomingResponse, general: Outcome) => readonly UserOutcome[] | undefined;
}

/** Sends a request that writes users, unless the context forbids it. */
export const sendUsers = async (
  request: UserRequest,
  context: SendContext,
): Promise<UpsertResult> => {
  const { draft, users, secrets, errorText, passing, read } = request;
  const written = { maybe: false };
  const mayWrite = (): boolean => {
    const may = context.mayWrite?.() ?? true;
    written.maybe ||= may;
    return may;
  };
  const key = { name: 'Idempotency-Key', value: batchKey(users) };
  const { outcome, answer } = await sendDraft(
    { ...draft, headers: [...draft.headers, key] },
    { timeoutMs: TIMEOUT_MS, secrets, errorText },
    { ...context, mayWrite },
  );
  const mayPass = answer !== undefined && passing?.has(answer.status) === true;
  const outcomes =
    answer === undefined || mayPass || outcome.kind === 'unavailable'
      ? undefined
      : read(answer, outcome);
  if (outcomes !== undefined) return { kind: 'answered', outcomes };
  return {
    ...failure(outcome, mayPass),
    taken: users.length,
    executed: written.maybe ? executed(answer, mayPass) : 'no',
  };
};

const failure = (outcome: Outcome, mayPass: boolean): Omit<UpsertFailure, 'taken' | 'executed'> => {
  if (outcome.kind === 'delivered')
    return { ...outcome, kind: 'unavailable', reason: 'answer is not as documented' };
  return mayPass ? { ...outcome, kind: 'unavailable' } : outcome;
};

const executed = (
  answer: IncomingResponse | undefined,
  mayPass: boolean,
): UpsertFailure['executed'] => {
  if (answer === undefined || mayPass) return 'unknown';
  const { status } = answer;
  if (status >= 200 && status <= 299) return 'yes';
  if (NOT_EXECUTED.has(status)) return 'no';
  return status === 408 || status >= 500 ? 'unknown' : 'no';
};
