import type { Sealed } from './connection.facts';
import type { Instant, ResolutionId, WorkspaceId } from './ids';

/**
 * What has asked for a resolution of identities:
 *
 * - `API`: a caller
 * - `Import`: an import that wrote or removed identities has ended
 * - `Events`: identities in events have waited for the delay of the workspace
 * - `Settings`: identifiers, blocked values or primary sources were changed
 * - `Schema`: the schema of profiles was changed
 * - `Repair`: the warehouse was repaired
 * - `Erasure`: a person was erased
 */
export type ResolutionTrigger =
  | 'API'
  | 'Import'
  | 'Events'
  | 'Settings'
  | 'Schema'
  | 'Repair'
  | 'Erasure';

/** How the identities of a workspace are resolved. */
export interface ResolutionSettings {
  readonly runOnBatchImport: boolean;
  /** Seconds after the first identity in events that is not resolved, 0 to 86,400; `null`: not after events. */
  readonly eventDelay: number | null;
  /** Property paths of the profile schema in order of priority, at most 16. */
  readonly identifiers: readonly string[];
  /** Identifier → canonical JSON text of the array of values that count as none, sealed under a key of the workspace. */
  readonly blockedValues: Readonly<Record<string, Sealed>>;
}

/** A resolution that was asked for and has not started: those that wait are one. */
export interface WaitingResolution {
  readonly trigger: ResolutionTrigger;
  /** Whether everything is computed anew. */
  readonly full: boolean;
}

/** A resolution as it starts. */
export interface StartedResolution extends WaitingResolution {
  readonly resolution: ResolutionId;
  readonly startedAt: Instant;
  /** Id of an API key, or `system`. */
  readonly actor: string;
}

/** How a resolution ended. */
export interface EndedResolution {
  readonly resolution: ResolutionId;
  readonly status: 'Succeeded' | 'Failed' | 'Cancelled';
  /** For people; `''` unless it failed. */
  readonly error: string;
  readonly endedAt: Instant;
}

/** Everything that can happen to the resolutions of a workspace where they are decided. Kept for ever. */
export type ResolutionFact =
  /** A resolution was asked for while none could start: it starts as soon as one may. */
  | {
      readonly type: 'ResolutionTriggered';
      readonly data: WaitingResolution & { readonly id: WorkspaceId };
    }
  | {
      readonly type: 'ResolutionStarted';
      readonly data: StartedResolution & { readonly id: WorkspaceId };
    }
  | {
      readonly type: 'ResolutionCancelRequested';
      readonly data: { readonly resolution: ResolutionId };
    }
  | { readonly type: 'ResolutionEnded'; readonly data: EndedResolution };

/** A resolution that has not ended. */
export interface LiveResolution extends StartedResolution {
  readonly cancelled: boolean;
}

/**
 * Whether the identities of a workspace are being resolved. It has a stream of its own, so that a resolution does not
 * change the version of the warehouse.
 */
export interface ResolutionState {
  readonly kind: 'resolution';
  /** The workspace's. */
  readonly id: WorkspaceId;
  readonly version: number;
  /** At most one at a time. */
  readonly live: LiveResolution | null;
  readonly waiting: WaitingResolution | null;
  /** A full one has ended before it has succeeded: the next one is full, too. Absent: none has. */
  readonly isFullOwed?: true;
}
