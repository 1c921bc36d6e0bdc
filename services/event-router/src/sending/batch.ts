import type { OutgoingEvent } from '@penstock/connectors';
import type { Delivery } from '../lanes/delivery';
import type { KeyQueue } from '../lanes/key-queue';

/** The deliveries of one key in a request, in order. */
export interface Part {
  readonly key: KeyQueue;
  readonly deliveries: readonly Delivery[];
}

/** What goes into one request. */
export interface Batch {
  readonly parts: readonly Part[];
  /** Of all deliveries, in the order of the parts. */
  readonly events: readonly OutgoingEvent[];
  /** Keys that have failed together and are tried apart from others. */
  readonly isGroup: boolean;
}
