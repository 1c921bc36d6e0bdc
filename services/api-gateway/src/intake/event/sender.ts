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

/** What a request gives to each of its events. */
export interface RequestFacts {
  readonly origin: EventOrigin;
  /** Milliseconds since 1970, and the same as JSON text. */
  readonly receivedMs: number;
  readonly receivedAt: Leaf;
  /** Of browser and mobile sources: what fills in for an event without address or user agent. */
  readonly peerAddress: Leaf | undefined;
  readonly userAgent: Leaf | undefined;
}
