import type { Issue } from '@penstock/schema';
import { CONTEXT_SLOTS } from './context-slots';
import type { Leaf } from './leaf';

/** A received context, reduced to what fits the event schema. */
export interface ReceivedContext {
  /** Size of its JSON text. */
  bytes: number;
  /** Texts to be written, by slot number. */
  readonly leaves: (Leaf | undefined)[];
  /** Compact text of an object. */
  traits: Leaf | undefined;
  /** Whether the sender requested that no address be recorded. */
  withholdsAddress: boolean;
  /** Dropped members; paths start at the event. */
  readonly leftOut: Issue[];
}

export const newReceivedContext = (): ReceivedContext => ({
  bytes: 0,
  leaves: new Array<Leaf | undefined>(CONTEXT_SLOTS.length).fill(undefined),
  traits: undefined,
  withholdsAddress: false,
  leftOut: [],
});
