import { PackedRepeats } from './packed-repeats';
import type { PartitionProgress } from './router-store';

/** The progress of a partition of which nothing was routed. */
export const NO_PROGRESS: PartitionProgress = {
  sequence: 0,
  routed: 0,
  mark: null,
  open: [],
  cursors: [],
  repeats: new PackedRepeats(),
  waiting: [],
  finishedBeyond: [],
  storedBeyond: [],
};
