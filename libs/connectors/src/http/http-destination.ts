import type { EventDestination, OutgoingEvent } from '../connector/event-destination';
import { batchKey } from '../requests/batch-key';
import type { Draft } from '../requests/draft';
import { requestDestination } from '../requests/request-destination';
import { signatureHeader } from '../requests/signature-header';
import { HTTP_EVENT_TYPES, httpBody } from './http-event-types';
import { httpTarget, type HttpTarget } from './http-target';

/** Requests of one connection in flight at once. */
const CONCURRENCY = 50;
/** Beyond this a request takes no further event; a single event always fits. The limit of intake's bodies. */
const MAX_BODY_UNITS = 4_194_304;

export const httpDestination: EventDestination = requestDestination({
  eventTypes: () => HTTP_EVENT_TYPES,

  limits: (settings) => {
    const { batchSize, ratePerSecond } = httpTarget(settings);
    return {
      maxEvents: batchSize,
      concurrency: CONCURRENCY,
      ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
    };
  },

  request: (events, settings) => {
    const target = httpTarget(settings);
    const bodies = takeFront(events, target.batchSize);
    return {
      draft: draft(events.slice(0, bodies.length), bodies, target),
      taken: bodies.length,
      sending: target,
    };
  },
});

const takeFront = (events: readonly OutgoingEvent[], maxEvents: number): string[] => {
  const bodies: string[] = [];
  let units = 0;
  for (const event of events) {
    const body = httpBody(event);
    units += body.length;
    if (bodies.length === maxEvents || (bodies.length > 0 && units > MAX_BODY_UNITS)) break;
    bodies.push(body);
  }
  return bodies;
};

const draft = (
  events: readonly OutgoingEvent[],
  bodies: readonly string[],
  { method, url, headers, signingSecret, batchSize }: HttpTarget,
): Draft => {
  const body = batchSize === 1 ? bodies.join() : `[${bodies.join(',')}]`;
  const key = { name: 'Idempotency-Key', value: batchKey(events) };
  const signature = signingSecret === undefined ? [] : [signatureHeader(signingSecret, body)];
  return { method, url, headers: [...headers, key, ...signature], body };
};
