import { type Json, JsonSyntaxError, parseJson } from '@penstock/schema';
import { classify } from '../answers/classify';
import type { ErrorText } from '../answers/error-text';
import type { CallContext } from '../connector/call-context';
import type { Outcome } from '../connector/event-destination';
import { type IncomingResponse, NoAnswer, type OutgoingRequest } from '../connector/guarded-http';
import type { Answer } from '../connector/user-source';

/** For a whole request to a vendor. */
const TIMEOUT_MS = 30_000;
/** What is read of an answer at most. */
const MAX_ANSWER_BYTES = 1_048_576;
/** The last character may be cut off. */
const MAX_CUT_BYTES = 3;

/** A request that changes nothing. */
export interface ReadRequest extends Pick<OutgoingRequest, 'url' | 'headers' | 'body'> {
  readonly method: 'GET' | 'POST';
  /** Never shown in the answer. */
  readonly secrets: readonly string[];
  readonly errorText?: ErrorText;
  /** Further statuses than 200 that answer the request. */
  readonly alsoAnswers?: ReadonlySet<number>;
  /** The outcome of a response that holds more than its status. */
  readonly outcome?: (answer: IncomingResponse, general: Outcome) => Outcome;
}

/** The answer was longer than what is read of one: the same object always. */
export const TOO_LONG: Answer<never> = { kind: 'rejected', reason: 'answer is longer than 1 MiB' };

/** Thrown by whoever reads an answer that is not as the vendor documents it. */
export class Undocumented extends Error {
  override readonly name = 'Undocumented';
}

/**
 * What a vendor answers to a request that changes nothing.
 *
 * @param read makes of the JSON what is wanted; throws {@link Undocumented}.
 * @returns `unavailable` also for an answer that is not as documented, {@link TOO_LONG} for one that was cut off.
 */
export const readJson = async <T>(
  { secrets, errorText, alsoAnswers, outcome: particular, ...request }: ReadRequest,
  { http, signal }: Pick<CallContext, 'http' | 'signal'>,
  read: (json: Json, status: number) => T,
): Promise<Answer<T>> => {
  try {
    const answer = await http.request({ ...request, timeoutMs: TIMEOUT_MS }, signal);
    const delivered = new Set([200, ...(alsoAnswers ?? [])]);
    const reading = { secrets, delivered, nowMs: Date.now(), ...(errorText && { errorText }) };
    const general = classify(answer, reading);
    const outcome = particular?.(answer, general) ?? general;
    return outcome.kind === 'delivered' ? readBody(answer, read) : outcome;
  } catch (error) {
    if (error instanceof NoAnswer) return { kind: 'unavailable', reason: error.message };
    throw error;
  }
};

/** What is read of a large answer at most. */
const MAX_LARGE_BYTES = 16 * MAX_ANSWER_BYTES;

/** {@link readJson} of an answer that has no pages and may have 16 MiB. */
export const readLargeJson = async <T>(
  { url, headers, secrets }: Pick<ReadRequest, 'url' | 'headers' | 'secrets'>,
  { http, signal }: Pick<CallContext, 'http' | 'signal'>,
  read: (json: Json) => T,
): Promise<Answer<T>> => {
  try {
    const {
      status,
      headers: answered,
      bytes,
    } = await http.download({ url, headers, idleMs: TIMEOUT_MS }, signal);
    const body = await textOf(bytes);
    const answer = { status, headers: answered, body };
    const outcome = classify(answer, { secrets, delivered: ONLY_OK, nowMs: Date.now() });
    return outcome.kind === 'delivered' ? parsed(answer, read) : outcome;
  } catch (error) {
    if (error instanceof NoAnswer) return { kind: 'unavailable', reason: error.message };
    throw error;
  }
};

const ONLY_OK = new Set([200]);

/** @throws NoAnswer when there are too many. */
const textOf = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of bytes) {
    length += part.byteLength;
    if (length > MAX_LARGE_BYTES) throw new NoAnswer('answer is longer than 16 MiB');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
};

const readBody = <T>(
  answer: IncomingResponse,
  read: (json: Json, status: number) => T,
): Answer<T> =>
  Buffer.byteLength(answer.body) >= MAX_ANSWER_BYTES - MAX_CUT_BYTES
    ? TOO_LONG
    : parsed(answer, read);

const parsed = <T>(
  { status, body }: IncomingResponse,
  read: (json: Json, status: number) => T,
): Answer<T> => {
  try {
    return { kind: 'answered', value: read(parseJson(body), status) };
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof Undocumented)
      return { kind: 'unavailable', reason: 'answer is not as documented', status };
    throw error;
  }
};

/**
 * Reads a page, with fewer users at a time when the answer would be too long.
 *
 * @param most users of a page.
 * @param readPage reads so many users at most.
 */
export const readFitting = async <T>(
  most: number,
  readPage: (limit: number) => Promise<Answer<T>>,
): Promise<Answer<T>> => {
  for (let limit = most; ; limit = Math.ceil(limit / 2)) {
    const answer = await readPage(limit);
    if (answer !== TOO_LONG || limit === 1) return answer;
  }
};
