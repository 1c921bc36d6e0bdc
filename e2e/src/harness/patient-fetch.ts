import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { nothingWasDone } from './nothing-was-done';

/** Longer than a gateway waits for another service before it answers 503. */
const TIMEOUT_MS = 45_000;
const PAUSE_MS = 200;

/** Longer than the minute for which an Idempotency-Key stays reserved when its gateway could not release it. */
const PATIENCE_MS = 90_000;

const INTAKE = '/v1/events';

export const hastyFetch = (request: Request): Promise<Response> =>
  fetch(request, { signal: AbortSignal.timeout(TIMEOUT_MS) });

/** Sends once. @returns undefined when there was no answer in time, and the request may be repeated. */
const answerTo = (request: Request, isRepeatable: boolean): Promise<Response | undefined> =>
  hastyFetch(request).catch((error: unknown) => {
    if (isRepeatable && (error as Error).name === 'TimeoutError') return undefined;
    throw error;
  });

/** Repeats requests answered 503, or not in time; gives a POST an Idempotency-Key, so that it is executed once. */
export const patientFetch = async (request: Request): Promise<Response> => {
  const isIntake = new URL(request.url).pathname === INTAKE;
  if (request.method === 'POST' && !isIntake) request.headers.set('Idempotency-Key', randomUUID());
  const isRepeatable = !isIntake && request.method !== 'DELETE';
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    const isLast = performance.now() > deadline;
    const response = await answerTo(request.clone(), isRepeatable && !isLast);
    if (response === undefined) continue;
    if (response.ok || performance.now() > deadline) return response;
    const { status } = response;
    const text = await response.clone().text();
    const isLost = status === 503 && isRepeatable;
    if (!isLost && !nothingWasDone(status, text) && !isStillHandled(status, text)) return response;
  }
};

/** Whether the key is still reserved by a gateway that has answered 503 and could not release it. */
const isStillHandled = (status: number, text: string): boolean =>
  status === 409 && text.includes('a request with this Idempotency-Key is being handled');
