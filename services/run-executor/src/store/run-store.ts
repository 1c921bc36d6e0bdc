import type { TokensGiven, TokensWanted } from '@penstock/rates';
import type {
  Actor,
  ConnectionId,
  Instant,
  Microtime,
  PipelineId,
  RecordedRunFact,
  ReplayedRun,
  RequestedRun,
  RunCancel,
  RunEndStatus,
  RunErrorView,
  RunFactView,
  RunId,
  RunPipelineState,
  RunStatus,
  RunStep,
  RunWait,
  RunView,
  Sealed,
  WorkspaceId,
} from '@penstock/contracts';
import type { ExportLedger, ImportLedger, RunSoFar } from '../engine/run-ledger';
import type { UserLedger } from '../engine/user-ledger';

/** A run as it was requested, with what it needs to stay readable after a deletion. */
export interface AcceptedRun extends RequestedRun {
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
  readonly connection: ConnectionId;
  readonly pipelineName: string;
  /** The version of the pipeline that the run uses; `null`: it has still to be found. */
  readonly definition: RunPipelineState | null;
}

/** A run that a worker has taken up. */
export interface ClaimedRun extends RunSoFar {
  readonly workspace: WorkspaceId;
  readonly pipelineVersion: number;
  readonly definition: RunPipelineState | null;
  readonly epoch: number;
}

/** A run that is to be ended, since its cancel was requested. */
export interface CancelledRun {
  readonly run: RunId;
  readonly workspace: WorkspaceId;
  readonly cancel: RunCancel;
  readonly epoch: number;
  /** Whether a worker may still write into the warehouse for it: one has had it, and it is no export to a database or files. */
  readonly mayWrite: boolean;
}

/** How a run ends. */
export interface RunEnding {
  readonly status: RunEndStatus;
  readonly cursor: Microtime | null;
  /** `null` unless it failed. */
  readonly step: RunStep | null;
  readonly code: string;
  readonly error: string;
  readonly purged: number;
  /** Beside those that were recorded with its batches. */
  readonly warnings: readonly string[];
  /** Of a run that was cancelled: the request, which is recorded before the end where it is not on record yet. */
  readonly cancel?: RunCancel;
}

/** A run that has ended, for which something is left to be done. */
export interface EndedRun {
  readonly run: RunId;
  readonly pipeline: PipelineId;
  readonly workspace: WorkspaceId;
  readonly epoch: number;
  readonly status: RunEndStatus;
  readonly cursor: Microtime | null;
  readonly error: string;
  readonly endedAt: Instant;
  /** Whether a worker has had it, so that identities may have been written or purged, also such as were never counted. */
  readonly wasClaimed: boolean;
  readonly isExport: boolean;
  /** Whether it exports to an application, whose users the warehouse keeps. */
  readonly hasMatches: boolean;
}

/** `told`: the pipeline service knows how the run has ended; `cleaned`: nothing is kept any more of what it has seen. */
export type Finished = 'told' | 'cleaned';

/** What is not to be done now. */
export interface Postponed {
  readonly runs: readonly RunId[];
  readonly workspaces: readonly WorkspaceId[];
}

/** Which runs of a workspace are listed. */
export interface RunsWanted {
  readonly pipeline: string | null;
  readonly status: RunStatus | null;
  readonly from: Instant | null;
  readonly to: Instant | null;
}

/** Where a page begins and how long it is. */
export interface PageWanted {
  readonly limit: number;
  /** Of the last one before the page; `''`: from the start. */
  readonly after: string;
}

/** One of a list, and the text that stands for its place. */
export interface Placed<T> {
  readonly place: string;
  readonly view: T;
}

/** A fact that is to be appended to the topic of runs. */
export interface FactToPublish {
  readonly id: string;
  readonly fact: RecordedRunFact;
}

/** Who may work how long. */
export interface RunStoreOptions {
  /** Milliseconds for which a claim or its renewal holds. */
  readonly leaseMs: number;
  /** Runs of one workspace that are performed at a time. */
  readonly runsOfWorkspace: number;
}

/** Why records of a run failed, with what functions have thrown for samples. */
export interface StoredRunError extends Omit<RunErrorView, 'texts'> {
  readonly texts: Readonly<Record<string, Sealed>>;
}

/** What executors share about runs. Rejects with the errors of its database; ledgers as they say. */
export abstract class RunStore {
  /** Makes the tables that are missing. */
  abstract prepare(): Promise<void>;
  /** Queues runs; those that are known change nothing. */
  abstract accept(runs: readonly AcceptedRun[]): Promise<void>;
  /** Records a replay of events as routers tell of it: what is known already, or outdated, changes nothing. */
  abstract recordReplay(replay: ReplayedRun): Promise<void>;
  /** Records once that the cancel of a live run was requested; an ended or unknown one changes nothing. */
  abstract requestCancel(run: RunId, cancel: RunCancel): Promise<void>;
  /**
   * Gives the next run to a worker: one whose lease has lapsed before a queued one; of a workspace the oldest; of
   * workspaces the one that has waited longest for its turn.
   *
   * @returns undefined when there is none.
   */
  abstract claim(worker: string): Promise<ClaimedRun | undefined>;
  /** @returns whether the claim still holds; then for another lease from now. */
  abstract renew(run: RunId, epoch: number): Promise<boolean>;
  /** Gives the run back: another worker may claim it at once. */
  abstract release(run: RunId, epoch: number): Promise<void>;
  /**
   * Records under a claim what happens to a run.
   *
   * @param seal what functions have thrown; undefined where the key of the workspace is erased.
   */
  abstract ledger(
    run: RunId,
    epoch: number,
    seal?: (text: string) => Sealed | undefined,
  ): ImportLedger & ExportLedger & UserLedger;
  /**
   * Takes over runs whose cancel was requested: those that no worker has, and those whose worker has not ended them
   * within this time.
   */
  abstract takeCancelled(graceMs: number): Promise<readonly CancelledRun[]>;
  /** Records the version of the pipeline that the run uses. */
  abstract define(run: RunId, definition: RunPipelineState): Promise<void>;
  /**
   * Ends a run, once. What was recorded before by the same claim is recorded once.
   *
   * @throws LeaseLost when the run has a newer epoch or another end, Away when the store cannot be reached.
   */
  abstract end(run: RunId, epoch: number, ending: RunEnding): Promise<void>;
  /**
   * Runs that have ended and for which this is left to be done, oldest first; nothing is cleaned that is not told.
   *
   * @param but what is left out.
   */
  abstract left(what: Finished, limit: number, but: Postponed): Promise<readonly EndedRun[]>;
  abstract finish(run: RunId, done: Finished): Promise<void>;
  /** Forgets the keys that an ended export has taken. */
  abstract forgetKeys(run: RunId): Promise<void>;
  /**
   * Gives facts that are not on the log yet, in their order, and marks them as published when the work has ended well.
   * One process at a time.
   *
   * @param limit the most facts at once; fewer where they are large.
   * @returns how many were published; undefined while another process does it.
   */
  abstract publish(
    limit: number,
    work: (facts: readonly FactToPublish[], end: number | null) => Promise<Published>,
  ): Promise<number | undefined>;
  abstract list(
    workspace: string,
    wanted: RunsWanted,
    page: PageWanted,
  ): Promise<readonly RunView[]>;
  abstract find(workspace: string, run: string): Promise<RunView | undefined>;
  abstract errorsOf(run: RunId, page: PageWanted): Promise<readonly Placed<StoredRunError>[]>;
  abstract factsOf(run: RunId, page: PageWanted): Promise<readonly Placed<RunFactView>[]>;
  /** Those of the workspaces whose warehouse was not swept within this time. */
  abstract unswept(
    workspaces: readonly WorkspaceId[],
    withinMs: number,
  ): Promise<readonly WorkspaceId[]>;
  /** Records that the warehouse of a workspace was swept now. */
  abstract swept(workspace: WorkspaceId): Promise<void>;
  /** Takes tokens of a rate that all processes share. @throws Away */
  abstract takeTokens(wanted: TokensWanted): Promise<TokensGiven>;
  /** Deletes rates that nobody uses. */
  abstract forgetIdleRates(): Promise<void>;
  /** Workspaces that have runs here. */
  abstract workspaces(): Promise<readonly WorkspaceId[]>;
  /** Records that a run waits, with a fact. Changes nothing where the run has another epoch, or has ended. */
  abstract beginWaiting(
    run: RunId,
    epoch: number,
    waiting: RunWait & { readonly step: RunStep },
  ): Promise<void>;
  /** Records the next attempt of a waiting run; `null`: it waits no more. */
  abstract setWaiting(run: RunId, epoch: number, waiting: RunWait | null): Promise<void>;
  /** Deletes runs that ended longer ago than this and for which nothing is left to be done; their counts stay. */
  abstract forgetRuns(olderThanMs: number): Promise<void>;
  /** Deletes everything about a workspace. */
  abstract erase(workspace: WorkspaceId): Promise<void>;
}

/** What publishing has come to. */
export interface Published {
  /** Ids of facts that are on the log. */
  readonly ids: readonly string[];
  /** The end of the topic with them. */
  readonly end: number;
}

/** Who has asked for what is not asked for by a user. */
export const SYSTEM: Actor = 'system';
