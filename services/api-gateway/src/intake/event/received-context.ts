import type { Issue } from '@penstock/schema';
import { CONTEXT_SLOTS } from './context-slots';
import type { Leaf } from './leaf';

/** A context of which only what fits the event schema was kept. */
export interface ReceivedContext {
  /** Of its JSON text. */
  bytes: number;
  /** The texts to be written, by the number of their slot. */
  readonly leaves: (Leaf | undefined)[];
  /** Compact text of an object. */
  traits: Leaf | undefined;
  /** The sender asked that no address be recorded. */
  withholdsAddress: boolean;
  /** What was left out, paths from the event. */
  readonly leftOut: Issue[];
}

export const newReceivedContext = (): ReceivedContext => ({
  bytes: 0,
  leaves: new Array<Leaf | undefined>(CONTEXT_SLOTS.length).fill(undefined),
  traits: undefined,
  withholdsAddress: false,
  leftOut: [],
});
