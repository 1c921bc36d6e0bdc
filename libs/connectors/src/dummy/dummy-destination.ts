import { setTimeout as pause } from 'node:timers/promises';
import { classify } from '../answers/classify';
import type { EventDestination, OutgoingEvent, Outcome, SendContext } from '../event-destination';
import { printDraft, type Draft } from '../requests/draft';
import { sendDraft } from '../requests/send-draft';
import { dummyBody } from './dummy-body';
import { DUMMY_EVENT_TYPES } from './dummy-event-types';
import { dummySending, type DummySending } from './dummy-settings';
import type { DummyStore } from './dummy-store';
import type { SimulatedFailure } from './failures-form';
import { chooseDelayMs } from './operation-delay';

const TIMEOUT_MS = 30_000;
const CONCURRENCY = 50;
/** Events that are kept with one statement. */
const MAX_KEPT_AT_ONCE = 500;
const DELIVERED = new Set([200, 201, 202, 204]);

/** Takes every event, unless its settings ask for slowness or failures. */
export const dummyDestination = (store: DummyStore): EventDestination => ({
  eventTypes: () => DUMMY_EVENT_TYPES,

  limits: (settings) => {
    const sending = dummySending(settings);
    const maxEvents = takesMany(sending) ? MAX_KEPT_AT_ONCE : 1;
    return sending.url === undefined
      ? { maxEvents, concurrency: CONCURRENCY }
      : { maxEvents, concurrency: CONCURRENCY, ratePerSecond: 100, burst: 100 };
  },

  send: async (events, settings, context) => {
    const sending = dummySending(settings);
    const taken = events.slice(0, takesMany(sending) ? MAX_KEPT_AT_ONCE : 1);
    const failure = await simulatedFailure(store, sending, context);
    const outcome = failure ?? (await accept(store, taken, sending, context));
    const answered = await waited(sending, outcome, context.signal);
    return taken.map(() => answered);
  },

  preview: (event, settings) => printDraft(draft(event, dummySending(settings))),
});

/** Requests carry one event, and calls that may fail are counted by event. */
const takesMany = ({ url, failures }: DummySending): boolean =>
  url === undefined && failures.length === 0;

const accept = async (
  store: DummyStore,
  events: readonly OutgoingEvent[],
  sending: DummySending,
  context: SendContext,
): Promise<Outcome> => {
  const [first] = events;
  if (sending.url !== undefined && first !== undefined) {
    const how = { timeoutMs: TIMEOUT_MS, secrets: [], delivered: DELIVERED };
    return sendDraft(draft(first, sending), how, context);
  }
  const kept = events.map((event) => ({
    idempotencyKey: event.idempotencyKey,
    body: dummyBody(event),
  }));
  await store.keep(context.connection, kept);
  return { kind: 'delivered' };
};

const draft = (event: OutgoingEvent, { url }: DummySending): Draft => ({
  method: 'POST',
  url: url ?? '(kept, not sent)',
  headers: [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'Idempotency-Key', value: event.idempotencyKey },
  ],
  body: dummyBody(event),
});

const simulatedFailure = async (
  store: DummyStore,
  { failures }: DummySending,
  { connection }: SendContext,
): Promise<Outcome | undefined> => {
  if (failures.length === 0) return undefined;
  const call = await store.nextCall(connection, 'send');
  const failure = failures.find(({ at, times }) => call >= at && call < at + times);
  return failure && failed(failure);
};

const failed = ({ status }: SimulatedFailure): Outcome => {
  if (status === 'throw') throw new Error('simulated failure');
  if (status === 'timeout') return TIMED_OUT;
  const response = { status, headers: {}, body: 'simulated failure' };
  return classify(response, { delivered: DELIVERED, secrets: [], nowMs: Date.now() });
};

const TIMED_OUT: Outcome = {
  kind: 'unavailable',
  reason: `no answer within ${String(TIMEOUT_MS / 1_000)} s`,
};

/** The answer comes late, or not at all when the delay is longer than a request may take. */
const waited = async (
  { delay }: DummySending,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<Outcome> => {
  if (delay === undefined) return outcome;
  const delayMs = chooseDelayMs(delay, Math.random());
  try {
    await pause(Math.min(delayMs, TIMEOUT_MS), undefined, { signal });
  } catch {
    return { kind: 'unavailable', reason: 'request was given up' };
  }
  return delayMs > TIMEOUT_MS ? TIMED_OUT : outcome;
};
