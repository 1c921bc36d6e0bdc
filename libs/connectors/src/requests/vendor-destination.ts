import { type Form, mask } from '@penstock/settings';
import type { Settings } from '../connector/connector';
import {
  type EventDestination,
  EventRefused,
  type EventType,
  type Outcome,
  type OutgoingEvent,
  type SendLimits,
} from '../connector/event-destination';
import type { IncomingResponse } from '../connector/guarded-http';
import { perSettings } from '../settings/per-settings';
import { batchKey } from './batch-key';
import type { Draft, DraftHeader } from './draft';
import { type EventRequest, requestDestination } from './request-destination';

/** For a whole request to a vendor. */
const TIMEOUT_MS = 30_000;

export const JSON_CONTENT: DraftHeader = { name: 'Content-Type', value: 'application/json' };

/** One event as the vendor takes it. */
export interface Part {
  /** JSON text of the event within the body. */
  readonly text: string;
  /** What a request holds for all its events: only events with the same value share a request. */
  readonly common: string;
}

interface Sendable extends Part {
  readonly event: OutgoingEvent;
}

/** The events of one request, at least one. */
export type Sendables = readonly [Sendable, ...Sendable[]];

/** Settings in the form in which each request needs them. */
export interface VendorTarget {
  /** Never shown in an outcome. */
  readonly secrets: readonly string[];
}

/** What is particular to the API of one vendor. */
export interface VendorApi<Target extends VendorTarget> {
  readonly eventTypes: readonly EventType[];
  readonly limits: SendLimits;
  /** UTF-8 bytes of the events of one request; a single event always goes. */
  readonly maxBytes: number;
  /** Which settings are secret: a preview is made of masked settings. */
  readonly form: Form;
  readonly target: (settings: Settings) => Target;
  /**
   * @param nowMs milliseconds since 1970.
   * @throws EventRefused
   */
  readonly part: (event: OutgoingEvent, target: Target, nowMs: number) => Part;
  /** @param parts all with the same {@link Part.common}. */
  readonly draft: (parts: Sendables, target: Target) => Omit<Draft, 'method'>;
  /**
   * The outcome of a response that holds more than its status: one for all its events, or one for each.
   *
   * @param general outcome by the status.
   * @param count events of the request.
   */
  readonly read?: (
    answer: IncomingResponse,
    general: Outcome,
    count: number,
    target: Target,
  ) => Outcome | readonly Outcome[];
}

/** A destination that posts JSON to a vendor, as many events in a request as the vendor takes. */
export const vendorDestination = <Target extends VendorTarget>(
  api: VendorApi<Target>,
): EventDestination => {
  const target = perSettings(api.target);
  const destination = requestDestination({
    eventTypes: () => api.eventTypes,
    limits: () => api.limits,
    request: (events, settings) => requestFor(events, api, target(settings)),
  });
  return {
    ...destination,
    preview: (event, settings) =>
      destination.preview(event, api.form.mapSecrets(settings, mask) as Settings),
  };
};

const requestFor = <Target extends VendorTarget>(
  events: readonly OutgoingEvent[],
  api: VendorApi<Target>,
  target: Target,
): EventRequest => {
  const parts = takeFront(events, api, target);
  const draft = api.draft(parts, target);
  const key = { name: 'Idempotency-Key', value: batchKey(parts.map(({ event }) => event)) };
  return {
    draft: { ...draft, method: 'POST', headers: [...draft.headers, key] },
    taken: parts.length,
    sending: { timeoutMs: TIMEOUT_MS, secrets: target.secrets },
    outcomes: (answer, general) => {
      const read = api.read?.(answer, general, parts.length, target) ?? general;
      return 'kind' in read ? parts.map(() => read) : read;
    },
  };
};

const takeFront = <Target extends VendorTarget>(
  [first, ...others]: readonly OutgoingEvent[],
  { part, limits, maxBytes }: VendorApi<Target>,
  target: Target,
): Sendables => {
  if (first === undefined) throw new TypeError('there is no event to send');
  const nowMs = Date.now();
  const parts: [Sendable, ...Sendable[]] = [{ ...part(first, target, nowMs), event: first }];
  let bytes = sizeOf(parts[0]);
  for (const event of others.slice(0, limits.maxEvents - 1)) {
    const next = unlessRefused(() => part(event, target, nowMs));
    if (next?.common !== parts[0].common) break;
    bytes += sizeOf(next);
    if (bytes > maxBytes) break;
    parts.push({ ...next, event });
  }
  return parts;
};

/** With the comma. */
const sizeOf = ({ text }: Part): number => Buffer.byteLength(text) + 1;

/** A refused event ends the request before it; it is refused when it is the first one. */
const unlessRefused = (make: () => Part): Part | undefined => {
  try {
    return make();
  } catch (error) {
    if (error instanceof EventRefused) return undefined;
    throw error;
  }
};
