import type { EventDestination, OutgoingEvent, Outcome } from '../connector/event-destination';
import { NOT_SENT } from '../requests/not-sent';
import { requestDestination } from '../requests/request-destination';
import { dummyBody } from './dummy-body';
import { DUMMY_EVENT_TYPES } from './dummy-event-types';
import { dummyConfig, type DummyConfig } from './dummy-settings';
import type { DummyStore } from './dummy-store';
import { answerLate, DELIVERED, mayFail, simulatedFailure, TIMEOUT_MS } from './simulation';

const CONCURRENCY = 50;
/** Events that are kept with one statement. */
const MAX_KEPT_AT_ONCE = 500;

/** Requests carry one event, and calls that may fail are counted by event. */
const takesMany = (config: DummyConfig): boolean =>
  config.url === undefined && !mayFail(config, 'send');

/** Each event with a request of its own. */
const posting = requestDestination({
  eventTypes: () => DUMMY_EVENT_TYPES,

  limits: (settings) => {
    const config = dummyConfig(settings);
    const maxEvents = takesMany(config) ? MAX_KEPT_AT_ONCE : 1;
    return config.url === undefined
      ? { maxEvents, concurrency: CONCURRENCY }
      : { maxEvents, concurrency: CONCURRENCY, ratePerSecond: 100, burst: 100 };
  },

  request: ([event], settings) => {
    if (event === undefined) throw new TypeError('no event to send');
    const url = dummyConfig(settings).url ?? '(kept, not sent)';
    const headers = [
      { name: 'Content-Type', value: 'application/json' },
      { name: 'Idempotency-Key', value: event.idempotencyKey },
    ];
    return {
      draft: { method: 'POST', url, headers, body: dummyBody(event) },
      taken: 1,
      sending: { timeoutMs: TIMEOUT_MS, secrets: [], delivered: DELIVERED },
    };
  },
});

/** Takes every event, unless its settings configure delays or failures. */
export const dummyDestination = (store: DummyStore): EventDestination => ({
  ...posting,
  send: async (events, settings, context) => {
    const config = dummyConfig(settings);
    const taken = events.slice(0, takesMany(config) ? MAX_KEPT_AT_ONCE : 1);
    if (context.mayWrite?.() === false) return taken.map(() => NOT_SENT);
    const failure = await simulatedFailure(store, 'send', config, context);
    const accept = (): Promise<readonly Outcome[]> =>
      config.url === undefined
        ? keep(store, context.connection, taken)
        : posting.send(taken, settings, context);
    const outcomes = failure === undefined ? await accept() : taken.map(() => failure);
    if (outcomes.includes(NOT_SENT)) return outcomes;
    const tooLate = await answerLate(config, context);
    return outcomes.map((outcome) => tooLate ?? outcome);
  },
});

const keep = async (
  store: DummyStore,
  connection: string,
  events: readonly OutgoingEvent[],
): Promise<readonly Outcome[]> => {
  const kept = events.map((event) => ({
    idempotencyKey: event.idempotencyKey,
    body: dummyBody(event),
  }));
  await store.keep(connection, kept);
  return events.map(() => ({ kind: 'delivered' }));
};
