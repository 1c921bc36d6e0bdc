import type { AddressPolicy } from './addresses';
import type { DerivedIds } from './derived-id';
import type { Leaf } from './leaf';

/** The source that a request comes from, as far as its events depend on it. */
export interface EventOrigin {
  /** The connection's id as JSON text. */
  readonly connection: Leaf;
  readonly derivedIds: DerivedIds;
  readonly addressPolicy: AddressPolicy;
}

/** Where an address is, as members of an event's context. */
export interface Location {
  readonly city?: Leaf | undefined;
  readonly country?: Leaf | undefined;
  readonly latitude?: Leaf | undefined;
  readonly longitude?: Leaf | undefined;
}

/** What a request gives to each of its events. */
export interface RequestFacts {
  readonly origin: EventOrigin;
  /** Milliseconds since 1970, and the same as JSON text. */
  readonly receivedMs: number;
  readonly receivedAt: Leaf;
  /** Of browser and mobile sources: what fills in for an event without address or user agent. */
  readonly peerAddress: Leaf | undefined;
  readonly userAgent: Leaf | undefined;
  /** Tells where an address is; absent where no database is configured. */
  readonly locate?: ((address: Leaf) => Location) | undefined;
}
