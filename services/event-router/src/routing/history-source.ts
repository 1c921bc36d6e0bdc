import type { ReadConnectionHistory } from '@penstock/contracts';

/** What the configuration was before the states that stand in its compacted topic. */
export interface HistorySource {
  /** Positions from the first, which is included, to the second, which is not. More states may come behind. */
  readonly connectionStates: ReadConnectionHistory;
}
