import type { Actor } from './fact';
import type { ErasureId, Instant, WorkspaceId } from './ids';

/** What the erasure of a person has deleted. Numbers only: nothing of it names anybody. */
export interface ErasureCounts {
  /** Profiles: one, or none where there was none any more. */
  readonly profiles: number;
  readonly identities: number;
  /** Entries of the history of the profile. */
  readonly history: number;
  /** Events in the warehouse. */
  readonly events: number;
  /** Record ids among the examples of errors of runs. */
  readonly samples: number;
}

/** An erasure as it is requested. */
export interface RequestedErasure {
  readonly erasure: ErasureId;
  /** The profile as the caller has named it: a UUID that names nobody outside of the warehouse. */
  readonly profile: string;
  readonly requestedAt: Instant;
  /** Id of an API key. */
  readonly actor: Actor;
}

/** How an erasure ended. */
export interface EndedErasure {
  readonly erasure: ErasureId;
  /** For people; `''`: the person was erased. */
  readonly error: string;
  readonly counts: ErasureCounts;
  readonly endedAt: Instant;
}

/** Everything that can happen to the erasures of people of a workspace. Kept for ever: it proves that they were erased. */
export type ErasureFact =
  | {
      readonly type: 'ErasureRequested';
      readonly data: RequestedErasure & { readonly id: WorkspaceId };
    }
  | { readonly type: 'ErasureEnded'; readonly data: EndedErasure };

/** The erasures of a workspace that have not ended. */
export interface ErasureState {
  readonly kind: 'erasure';
  /** The workspace's. */
  readonly id: WorkspaceId;
  readonly version: number;
  /** In the order of the requests, at most {@link MAX_LIVE_ERASURES}. */
  readonly live: readonly RequestedErasure[];
}

/** The most erasures of a workspace that have not ended. */
export const MAX_LIVE_ERASURES = 100;
