import type {
  EndedResolution,
  Instant,
  OrganizationId,
  ResolutionId,
  ResolutionTrigger,
  Sealed,
  WorkspaceId,
} from '@penstock/contracts';
import type { ResolvedBatch } from '@penstock/warehouses';

/** A resolution as the configuration tells of it. */
export interface AcceptedResolution {
  readonly workspace: WorkspaceId;
  readonly organization: OrganizationId;
  readonly resolution: ResolutionId;
  /** Of the state that has told of it: greater than that of every state before. */
  readonly version: number;
  readonly trigger: ResolutionTrigger;
  readonly full: boolean;
  readonly startedAt: Instant;
  /** Whether it is to be ended as cancelled: then no worker gets it. */
  readonly isCancelled: boolean;
}

/** Under what a worker has a resolution. */
export interface ResolutionClaim {
  readonly workspace: WorkspaceId;
  readonly resolution: ResolutionId;
  readonly epoch: number;
}

/** A resolution that a worker has taken up. */
export interface ClaimedResolution extends ResolutionClaim {
  /** Whether all profiles have still to be taken apart. */
  readonly mustTakeApart: boolean;
  /** Attempts that have failed since the last progress. */
  readonly failures: number;
  /** Milliseconds since the first of them; 0: there was none. */
  readonly troubleMs: number;
  /** Changed identities that were resolved before. */
  readonly identities: number;
  /** Whether values that too many identities share are to be looked for, however few are resolved. */
  readonly areWarningsDue: boolean;
}

/** A resolution that is to be ended as cancelled. */
export interface CancelledResolution extends ResolutionClaim {
  /** Whether a worker has had it, so that the warehouse may still be written to. */
  readonly wasClaimed: boolean;
}

/** How a resolution ends. */
export interface ResolutionEnding extends Pick<EndedResolution, 'status' | 'error'> {
  /** {@link ResolutionWarnings}; `null`: those that are known stay. */
  readonly warnings: Sealed | null;
}

/** What the batches of a resolution have come to. */
export type ResolutionCounts = Omit<ResolvedBatch, 'isLast'>;

/** The latest resolution of a workspace. */
export interface StoredResolution extends ResolutionCounts {
  readonly trigger: ResolutionTrigger;
  readonly full: boolean;
  readonly startedAt: Instant;
  /** `null`: it has not ended. */
  readonly endedAt: Instant | null;
  readonly error: string;
  /** Identities that were changed and not resolved, as it was known last. */
  readonly pending: number;
  /** {@link ResolutionWarnings}; `null`: none are known. */
  readonly warnings: Sealed | null;
}

/** A resolution whose end the pipeline service does not know yet. */
export interface UntoldResolution extends EndedResolution {
  readonly workspace: WorkspaceId;
}

/** When a warehouse is to be looked into, from now. */
export interface DueLook {
  readonly workspace: WorkspaceId;
  readonly ms: number;
}

/** A resolution that has failed and is to be tried again. */
export interface FailedResolution {
  readonly workspace: WorkspaceId;
  readonly resolution: ResolutionId;
  readonly trigger: ResolutionTrigger;
  /** Whether it did not come to take the profiles apart. */
  readonly full: boolean;
}

/**
 * What executors share about resolutions: the latest of each workspace. Rejects with the errors of its database; what is
 * recorded under a claim with `LeaseLost` when another worker has the resolution, or it has ended.
 */
export abstract class ResolutionStore {
  /** Takes a resolution over; one that is known, or older than what is known, changes nothing. */
  abstract accept(resolution: AcceptedResolution): Promise<void>;
  /** Records once that the cancel of a live resolution was requested. */
  abstract requestCancel(workspace: WorkspaceId, resolution: ResolutionId): Promise<void>;
  /**
   * Gives the next resolution to a worker: of the organization that has the fewest under way, and has waited longest.
   *
   * @returns undefined when there is none.
   */
  abstract claim(worker: string): Promise<ClaimedResolution | undefined>;
  /** @returns whether the claim still holds; then for another lease from now. */
  abstract renew(claim: ResolutionClaim): Promise<boolean>;
  /** Gives it back: others have their turn first. */
  abstract release(claim: ResolutionClaim): Promise<void>;
  /** Gives it back after an attempt that has failed, for this time at least. */
  abstract postpone(claim: ResolutionClaim, ms: number): Promise<void>;
  /** Whether a resolution waits for a worker. */
  abstract hasWaiting(): Promise<boolean>;
  /** Records that the profiles were taken apart. */
  abstract tookApart(claim: ResolutionClaim): Promise<void>;
  /** Records how many changed identities there are. */
  abstract found(claim: ResolutionClaim, pending: number): Promise<void>;
  /** Records what one batch more has done. */
  abstract progress(claim: ResolutionClaim, counts: ResolutionCounts): Promise<void>;
  /** Ends it, once. */
  abstract end(claim: ResolutionClaim, ending: ResolutionEnding): Promise<void>;
  /**
   * Takes over resolutions whose cancel was requested: those that no worker has, and those whose worker has not ended
   * them within this time.
   */
  abstract takeCancelled(graceMs: number): Promise<readonly CancelledResolution[]>;
  /** Those that have ended and were not told, the one that ended first being the first, without these workspaces. */
  abstract untold(limit: number, but: readonly WorkspaceId[]): Promise<readonly UntoldResolution[]>;
  abstract told(workspace: WorkspaceId, resolution: ResolutionId): Promise<void>;
  /** Those that have failed so long ago, and were not tried again, without these workspaces. */
  abstract toRetry(
    afterMs: number,
    limit: number,
    but: readonly WorkspaceId[],
  ): Promise<readonly FailedResolution[]>;
  abstract retried(workspace: WorkspaceId, resolution: ResolutionId): Promise<void>;
  /** Has warehouses looked into for identities in events at some moment within this time, unless that is known of them. */
  abstract enrolLooks(workspaces: readonly WorkspaceId[], withinMs: number): Promise<void>;
  /** Has each looked into after its time at the latest. None twice. */
  abstract lookWithin(looks: readonly DueLook[]): Promise<void>;
  /** Those that are due, which nobody looks into. */
  abstract dueLooks(): Promise<readonly WorkspaceId[]>;
  /**
   * Whether the warehouse is due: then this process looks into it, and nobody else within this time, after which it is due
   * again unless {@link lookAgain} was called.
   */
  abstract takeLook(workspace: WorkspaceId, heldMs: number): Promise<boolean>;
  /** Has it looked into after this time at the latest, or after a time that came since it was taken; not within `notMs`. */
  abstract lookAgain(workspace: WorkspaceId, ms: number, notMs: number): Promise<void>;
  /** @returns undefined when there was none. */
  abstract latest(workspace: string): Promise<StoredResolution | undefined>;
}
