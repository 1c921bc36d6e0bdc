import type { Delivery } from '../lanes/delivery';
import type { KeyQueue } from '../lanes/key-queue';
import type { PreparedEvent } from './destination';

/** The deliveries of one key in a request, in order. */
export interface Part {
  readonly key: KeyQueue;
  readonly deliveries: readonly Delivery[];
}

/** The content of one request. */
export interface Batch {
  readonly parts: readonly Part[];
  /** The events of all deliveries, in the order of the parts. */
  readonly events: readonly PreparedEvent[];
  /** Whether it is a retry of keys that have failed together. */
  readonly isGroup: boolean;
}
