import type { Actor } from '../fact';
import type { ConnectionId, Instant, PipelineId } from '../ids';
import type { JsonString } from '../pipeline.facts';
import { always, type Nothing, query } from './operation';
import type { Page } from './page';

/** States of the deliveries that the routers have stored. */
export const STORED_STATES = ['Waiting', 'Rejected', 'Parked'] as const;

/** One of {@link STORED_STATES}. */
export type StoredState = (typeof STORED_STATES)[number];

/** Which stored deliveries are wanted; what is absent does not matter. */
export interface DeliveriesWanted {
  readonly pipeline?: string;
  /** The destination. */
  readonly connection?: string;
  readonly state?: StoredState;
  readonly code?: string;
  /** Their events were received at this time or later. */
  readonly from?: Instant;
  /** Their events were received before this time. */
  readonly to?: Instant;
}

/** A delivery that the routers have stored, since it waits or has not succeeded; without values of its event. */
export interface StoredDeliveryView {
  /** Opaque and URL-safe; 16 to 26 characters, more only beyond 10^12 events of one partition. */
  readonly id: string;
  readonly pipeline: PipelineId;
  /** The version that the event was routed by. */
  readonly pipelineVersion: number;
  /** The destination. */
  readonly connection: ConnectionId;
  /** The source connection; `null`: the stored record cannot be read. */
  readonly source: ConnectionId | null;
  /** `null`: the stored record cannot be read. */
  readonly messageId: string | null;
  readonly state: StoredState;
  /** The step at which it ended; `null` while it waits. */
  readonly step: string | null;
  /** Why it ended, from a short list; empty while it waits. */
  readonly code: string;
  /** For people: the failure of the last attempt, or of the ending; without what a destination or function has said. */
  readonly reason: string;
  /** Number of requests that were sent. */
  readonly attempts: number;
  readonly receivedAt: Instant;
  /** `null` while it waits. */
  readonly endedAt: Instant | null;
  /** When it is due to be tried again; `null` when it has ended. */
  readonly nextAttemptAt: Instant | null;
}

/** A stored delivery in full. */
export interface DeliveryView extends StoredDeliveryView {
  /** All of its reason, with an excerpt of what the destination has answered, or what a function has thrown. */
  readonly detail: string;
  /** As it was accepted; `null`: the stored record cannot be read. */
  readonly event: JsonString | null;
  /** Whether values are replaced, since the caller may not see them. */
  readonly isMasked: boolean;
}

/** An access to the values of a delivery or an event. */
export interface AccessView {
  readonly at: Instant;
  /** Id of the API key. */
  readonly key: Actor;
  /**
   * Id of the delivery, or the place of the event that was traced; `live` for the live events, with the connection and
   * the pipeline that were watched.
   */
  readonly delivery: string;
  readonly requestId: string;
}

/** Which live events are to be shown with their values. */
export interface WatchedEvents {
  /** A source or a destination. Absent: of any. */
  readonly connection?: ConnectionId;
  /** Absent: of any. */
  readonly pipeline?: PipelineId;
}

/** Number of stored deliveries with one state and code. */
export interface DeliveryCount {
  readonly state: StoredState;
  readonly code: string;
  readonly count: number;
}

/** Numbers of stored deliveries. */
export interface DeliveryCounts {
  /** All of them, by state and code. */
  readonly counts: readonly DeliveryCount[];
  /** The same by pipeline too, the largest numbers first. */
  readonly pipelines: readonly (DeliveryCount & { readonly pipeline: PipelineId })[];
  /** Whether smaller numbers of `pipelines` are left out. */
  readonly isCut: boolean;
}

/** The states in which a delivery ends. */
export const END_STATES = ['Delivered', 'Filtered', 'Rejected', 'Parked', 'Duplicate'] as const;

/** What became of the events that were accepted for a pipeline: `accepted` is the sum of all the others. */
export interface ConservationView {
  /** Events that the routers have read of sources while they were linked with the destination of the pipeline. */
  readonly accepted: number;
  readonly endings: Readonly<Record<(typeof END_STATES)[number], number>>;
  /** Matched and not ended: in memory, in the store, or in the log. */
  readonly open: number;
  /**
   * Records on the log that the lane of its destination has yet to read, when it catches up: of them, events for the pipeline are
   * in no other number. 0: all numbers are exact.
   */
  readonly behind: number;
}

/** About deliveries; the routers answer from the store that they share. */
export const DELIVERY_OPERATIONS = {
  /** Newest first, by the time at which their events were received. */
  ListDeliveries: query<
    Page & DeliveriesWanted,
    { readonly deliveries: readonly StoredDeliveryView[]; readonly cursor: string }
  >({ isSlow: always, carriesRecords: true, answeredBy: 'event-router' }),
  /** `withValues`: the caller may see them; the access is recorded before they are answered. */
  GetDelivery: query<{ readonly id: string; readonly withValues: boolean }, DeliveryView>({
    refusals: ['DeliveryNotExist'],
    isSlow: always,
    carriesRecords: true,
    answeredBy: 'event-router',
  }),
  /** Newest first. */
  ListAccesses: query<Page, { readonly accesses: readonly AccessView[]; readonly cursor: string }>({
    scope: 'admin',
    isSlow: always,
    answeredBy: 'event-router',
  }),
  /**
   * Asked before live events are shown: an access to their values is recorded first. `connection` and `pipeline` are
   * those that are watched; the caller has found them to be of the workspace.
   */
  WatchEvents: query<WatchedEvents, Nothing>({
    refusals: ['ConnectionNotExist', 'PipelineNotExist'],
    isSlow: always,
    answeredBy: 'event-router',
  }),
  CountDeliveries: query<DeliveriesWanted, DeliveryCounts>({
    isSlow: always,
    answeredBy: 'event-router',
  }),
  /** Asked about a pipeline that the caller has found to be one of the workspace. */
  GetConservation: query<
    {
      readonly pipeline: PipelineId;
      /** Its destination; `null`: the warehouse of the workspace. */
      readonly connection: ConnectionId | null;
    },
    ConservationView
  >({
    refusals: ['PipelineNotExist'],
    isSlow: always,
    answeredBy: 'event-router',
  }),
};
