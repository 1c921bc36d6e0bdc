import type { Instant } from '@penstock/contracts';
import type { Filter } from '@penstock/filters';
import type { RecordValue, Schema } from '@penstock/schema';
import type { StoredProfile } from './profile-reads';

/** Where an event stands in a list by one order. */
export type EventPlace = string;

/** An event as a warehouse has it. */
export interface StoredEvent {
  readonly place: EventPlace;
  /** `null` until it is resolved. */
  readonly profile: StoredProfile['id'] | null;
  /** With the wanted properties at least, without what it does not have. */
  readonly event: RecordValue;
}

/** By what events are listed. Those without a value are the last ones; equal ones go by their connections and message ids. */
export interface EventOrder {
  /** Path of a property of events without others in it, whose values have an order. */
  readonly path: string;
  readonly isDescending: boolean;
}

/** Which events are wanted. */
export interface EventsWanted {
  /** Absent: those of all profiles, and of none. */
  readonly profile?: StoredProfile['id'];
  /** Part of the schema of events. */
  readonly properties: Schema;
  /** By the schema of events; `null`: all events. */
  readonly filter: Filter | null;
  readonly order: EventOrder;
  /** Of `timestamp`: at this time or later, and before that one; `null`: whenever. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  /** 1 or more. */
  readonly limit: number;
  /** In a list of what is wanted in the same way. Absent: from the first one on. */
  readonly after?: EventPlace | undefined;
}

/** Some of the events of a list. */
export interface EventsPage {
  /** As many as wanted, or fewer where they are large, or where few of many match. */
  readonly events: readonly StoredEvent[];
  /** Where the list goes on; undefined: no others follow. */
  readonly next: EventPlace | undefined;
}
