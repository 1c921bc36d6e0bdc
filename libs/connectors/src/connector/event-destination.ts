import type { PipelineId } from '@penstock/contracts';
import type { Json, RecordValue, Schema } from '@penstock/schema';
import type { CallContext } from './call-context';
import type { Settings } from './connector';

/** What an application does with an event, such as `Send event`. A pipeline chooses one. */
export interface EventType {
  /** 1 to 100 characters. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Suggested to people, never applied by the service. */
  readonly defaultFilter: Json;
  /** What the transformation has to give; `null`: the event type takes no values. */
  readonly schema: Schema | null;
}

/** One event on its way to an application through one pipeline. */
export interface OutgoingEvent {
  readonly eventType: string;
  /** As received, by the event schema. */
  readonly event: RecordValue;
  /** The event's JSON text as it stands in the log; the same as `event`. */
  readonly eventText: string;
  /** What the transformation gave, by the pipeline's outSchema; `null` without a transformation. */
  readonly values: RecordValue | null;
  readonly outSchema: Schema | null;
  /** The same at every attempt, see `idempotencyKey` of the contracts. */
  readonly idempotencyKey: string;
  readonly pipeline: PipelineId;
}

/** How one event fared. Expected outcomes are values; what is thrown is a bug or counts as `unavailable`. */
export type Outcome =
  /** `status`: of the answer, where there was one. */
  | { readonly kind: 'delivered'; readonly status?: number }
  /** The destination will never take this event. */
  | { readonly kind: 'rejected'; readonly reason: string; readonly status?: number }
  /**
   * It may take it later: network errors, time-outs, 401, 403, 408, 425, 429, 5xx. `status`: where there was an answer.
   */
  | {
      readonly kind: 'unavailable';
      readonly reason: string;
      readonly status?: number;
      /** The delay that the destination requested; at most one hour. */
      readonly retryAfterMs?: number;
      /** Nothing was written, since {@link SendContext.mayWrite} returned `false`: not counted as an attempt. */
      readonly notSent?: true;
      /** The destination as a whole cannot be used now, whatever is sent to it. */
      readonly isOutage?: true;
    };

/** What goes with every request that carries events. */
export interface SendContext extends CallContext {
  /** Milliseconds for the whole request; default: the connector's. */
  readonly timeoutMs?: number;
  /**
   * Called right before a request is written to its connection, however long it had waited for one: on `false` the
   * request is not sent. Called again for each redirect that is followed. Absent: always `true`.
   */
  readonly mayWrite?: () => boolean;
}

/** How many requests an application accepts. */
export interface RequestLimits {
  /** Requests in flight at once. */
  readonly concurrency: number;
  /** Requests a second; absent: no limit. */
  readonly ratePerSecond?: number;
  /** Requests that may go at once after a pause; absent: one second's worth. */
  readonly burst?: number;
  /** Requests of a group have a rate of their own; absent: all others of the connection share one. */
  readonly group?: string;
  /** What the requests of a group count in, too. */
  readonly within?: Pick<RequestLimits, 'ratePerSecond' | 'burst'>;
}

/** How much a destination accepts at a time. */
export interface SendLimits extends RequestLimits {
  /** Events that one request may carry, 1 or more. */
  readonly maxEvents: number;
}

/**
 * The application can never accept the event, by a rule that its schema cannot express. A preview shows the message; a
 * delivery is rejected with it.
 */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';
}

/** What an application that takes events must be able to do. */
export interface EventDestination {
  eventTypes(settings: Settings): readonly EventType[];
  limits(settings: Settings): SendLimits;
  /**
   * Sends one request with as many events as it takes from the front, in their order. Keeps to the time-out of the
   * context, and calls its `mayWrite` before anything is written.
   *
   * @returns an outcome for each event that was taken, in order; at least one.
   */
  send(
    events: readonly OutgoingEvent[],
    settings: Settings,
    context: SendContext,
  ): Promise<readonly Outcome[]>;
  /**
   * The request that {@link send} would make for one event, as text, secrets masked; nothing is sent.
   *
   * @throws EventRefused
   */
  preview(event: OutgoingEvent, settings: Settings): string;
}
