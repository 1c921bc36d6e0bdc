import type { AddressPolicy } from './addresses';
import type { DerivedIds } from './derived-id';
import type { Leaf } from './leaf';

/** The properties of a source that the normalisation of its events depends on. */
export interface EventOrigin {
  /** The connection's id as JSON text. */
  readonly connection: Leaf;
  readonly derivedIds: DerivedIds;
  readonly addressPolicy: AddressPolicy;
}

/** Location of an address, as members of an event's context. */
export interface Location {
  readonly city?: Leaf | undefined;
  readonly country?: Leaf | undefined;
  readonly latitude?: Leaf | undefined;
  readonly longitude?: Leaf | undefined;
}

/** Properties of a request that apply to each of its events. */
export interface RequestFacts {
  readonly origin: EventOrigin;
  /** Time of receipt: milliseconds since 1970, and the same as JSON text. */
  readonly receivedMs: number;
  readonly receivedAt: Leaf;
  /** Defaults for an event without address or user agent; undefined unless the source is a browser or mobile app. */
  readonly peerAddress: Leaf | undefined;
  readonly userAgent: Leaf | undefined;
  /** Finds the location of an address; absent when no database is configured. */
  readonly locate?: ((address: Leaf) => Location) | undefined;
}
