import type {
  ConnectionId,
  DifferenceKind,
  JobId,
  PipelineId,
  REPLAY_COUNTS,
  ReplayedResult,
  ReplayWanted,
  WorkspaceId,
} from '@penstock/contracts';

/** What a replay does; fixed when it is created. */
export interface ReplayRequest extends ReplayWanted {
  /** The sources whose events are replayed: those linked with the destination at the creation. */
  readonly sources: readonly ConnectionId[];
  /** How the destination orders deliveries when it is created. */
  readonly ordering: 'key' | 'none';
  /** The destination and the name of the pipeline at the creation; absent: an earlier version of the router has created it. */
  readonly connection?: ConnectionId;
  readonly pipelineName?: string;
}

/** The request of a job whose kind is `Replay` or `DeliveringReplay`. */
export const replayRequest = (text: string): ReplayRequest => JSON.parse(text) as ReplayRequest;

/** Offsets from `start` (inclusive) to `end` (exclusive) of one partition of the events topic. */
export interface WindowPart {
  readonly start: number;
  readonly end: number;
}

/**
 * Numbers that a replay adds up. `rejectedByOutput`: those of `rejected` whose values do not fit the schema of the output; an
 * earlier version of the router does not count it.
 */
export type Counts = Record<(typeof REPLAY_COUNTS)[number], number> & {
  readonly rejectedByOutput?: number;
};

/** Examples that are kept, by kind. */
export type KeptExamples = Readonly<Record<DifferenceKind, number>>;

/** A lease on a replay: writes of earlier epochs fail. */
export interface ReplayLease {
  readonly id: JobId;
  readonly epoch: number;
}

/** A running replay that this process has leased. */
export interface LeasedReplay extends ReplayLease {
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
  readonly request: ReplayRequest;
  /** By partition. */
  readonly parts: readonly WindowPart[];
  /** The next offset to be read, by partition. */
  readonly positions: readonly number[];
  /** Number of checkpoints. */
  readonly revision: number;
  readonly counts: Counts;
  readonly kept: KeptExamples;
}

/** An example of a difference, to be kept. */
export interface NewDifference {
  readonly partition: number;
  readonly offset: number;
  readonly kind: DifferenceKind;
  readonly messageId: string;
  readonly source: ConnectionId;
  readonly receivedMs: number;
  readonly userId: string | undefined;
  readonly previousId: string | undefined;
  readonly before: ReplayedResult | null;
  readonly now: ReplayedResult | null;
}

/** How far a replay has come, written in one transaction with its differences. */
export interface Checkpoint {
  readonly positions: readonly number[];
  readonly counts: Counts;
  /** Records per second. */
  readonly rate: number;
  readonly differences: readonly NewDifference[];
  readonly kept: KeptExamples;
  /** Absent: the replay goes on. */
  readonly ending?: ReplayEnding;
}

export interface ReplayEnding {
  readonly state: 'Succeeded' | 'Cancelled' | 'Failed';
  /** For people; empty unless it has failed or was ended by a change of the configuration. */
  readonly reason: string;
}
