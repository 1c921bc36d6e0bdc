import { setTimeout as pause } from 'node:timers/promises';
import { classify } from '../answers/classify';
import type { CallContext } from '../connector/call-context';
import type { Outcome, SendContext } from '../connector/event-destination';
import type { DummyConfig } from './dummy-settings';
import type { DummyStore } from './dummy-store';
import type { DummyOperation, SimulatedFailure } from './failures-form';
import { chooseDelayMs } from './operation-delay';

type Failed = Exclude<Outcome, { kind: 'delivered' }>;

/** Default time-out of a call in milliseconds, where its context has none. */
export const TIMEOUT_MS = 30_000;
export const DELIVERED = new Set([200, 201, 202, 204]);

/** Whether the settings configure failures of the operation: its calls are then counted. */
export const mayFail = ({ failures }: DummyConfig, of: DummyOperation): boolean =>
  failures.some(({ operation }) => operation === of);

/**
 * The failure that the settings configure for this call; undefined when it is to succeed.
 *
 * @throws Error when the failure is to be an unexpected one.
 */
export const simulatedFailure = async (
  store: DummyStore,
  of: DummyOperation,
  config: DummyConfig,
  { connection, timeoutMs }: CallContext & Pick<SendContext, 'timeoutMs'>,
): Promise<Failed | undefined> => {
  if (!mayFail(config, of)) return undefined;
  const call = await store.nextCall(connection, of);
  const failure = config.failures.find(
    ({ operation, at, times }) => operation === of && call >= at && call < at + times,
  );
  return failure && failed(failure, timeoutMs);
};

const failed = ({ status }: SimulatedFailure, timeoutMs: number | undefined): Failed => {
  if (status === 'throw') throw new Error('simulated failure');
  if (status === 'timeout') return timedOut(timeoutMs);
  const response = { status, headers: {}, body: 'simulated failure' };
  const outcome = classify(response, { delivered: DELIVERED, secrets: [], nowMs: Date.now() });
  if (outcome.kind === 'delivered') throw new TypeError(`status ${String(status)} is no failure`);
  return outcome;
};

const timedOut = (timeoutMs = TIMEOUT_MS): Failed => ({
  kind: 'unavailable',
  reason: `no answer within ${String(timeoutMs / 1_000)} s`,
});

/** Waits as long as the answer takes. @returns the failure in its place, when it comes too late. */
export const answerLate = async (
  { delay }: DummyConfig,
  { signal, timeoutMs = TIMEOUT_MS }: Pick<SendContext, 'signal' | 'timeoutMs'>,
): Promise<Failed | undefined> => {
  if (delay === undefined) return undefined;
  const delayMs = chooseDelayMs(delay, Math.random());
  try {
    await pause(Math.min(delayMs, timeoutMs), undefined, { signal });
  } catch {
    return { kind: 'unavailable', reason: 'request was given up' };
  }
  return delayMs > timeoutMs ? timedOut(timeoutMs) : undefined;
};
