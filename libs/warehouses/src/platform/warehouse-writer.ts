import type { ConnectionId, PipelineId, ProfileSchema, WorkspaceId } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { Eraser, Erasure } from './eraser';
import type { EventWriter } from './event-writer';
import type { Remover } from './remover';
import type { MatchWriter } from './match-writer';
import type { ResolutionRules, Resolver } from './resolver';

/** The most records of one {@link IdentityBatch}. */
export const MAX_BATCH = 5_000;

/** Whose writers exclude each other: the one of the highest epoch is the only one that writes. */
export type WriterRole = 'erasure' | 'events' | 'removal' | 'resolution' | `run ${string}`;

/** Who writes. */
export interface Writer {
  /**
   * `run <id of the run>` for what one run writes, `events` for events and the identities in them, `resolution` for profiles,
   * `erasure` for what erases people, `removal` for what removes what pipelines have written.
   */
  readonly role: WriterRole;
  /** An integer from 1 to 2^53 - 1, higher with each change of hands of the role, as with each claim of a run. */
  readonly epoch: number;
}

/** For what a writer is opened. */
export interface WriterOptions {
  /** Whose warehouse it must be. */
  readonly workspace: WorkspaceId;
  /** The schema that the records are made by. */
  readonly profiles: ProfileSchema;
  /**
   * By what erased people are known: the same for every writer of the installation, of a key that is not in the warehouse.
   */
  readonly keyedHash: (text: string) => string;
}

/**
 * How a record became settled in a run: its identity was merged, or the step at which it failed. `Filter`: the filter has
 * left it out. `Finalize`: the warehouse has refused it.
 */
export type SettledAs =
  | 'Merged'
  | 'Receive'
  | 'InputValidation'
  | 'Filter'
  | 'Transformation'
  | 'OutputValidation'
  | 'Finalize';

/** What a run has settled about a record id. */
export interface Settled {
  /** The first outcome that was recorded; later ones do not change it. */
  readonly as: SettledAs;
  /** The batch in which the record was counted last: see {@link IdentityBatch.batch}. */
  readonly batch: number;
  /** What {@link RunOfBatch.times} said first of the record; absent: nothing. */
  readonly updatedAtUs?: bigint;
}

interface Update {
  /** 1 or more bytes: the user id, or the anonymous id. */
  readonly recordId: string;
  /** Of the update at its source, in microseconds since 1970 in UTC; years 1 to 9999. */
  readonly updatedAtUs: bigint;
  /** Decides between updates of one time: the one whose text is greater in the order of UTF-8 bytes stays. */
  readonly tieBreaker: string;
  /** By the profile schema, without null: what is not there is absent. The values are not checked again. */
  readonly values: RecordValue;
}

/** A record of an import. Every property that it does not have is cleared at its time. */
export interface ImportedRecord extends Update {
  readonly kind: 'record';
}

/** What an event says about its user. Properties that it does not have stay as they are. */
export interface EventUpdate extends Update {
  readonly kind: 'event';
  /** Whether {@link recordId} is an anonymous id. */
  readonly anonymous: boolean;
  /** The anonymous id of an event with a user id, which then is linked with the user. */
  readonly anonymousId?: string;
  /** The previous id of an alias event. */
  readonly previousId?: string;
}

/** An update of one identity. */
export type IdentityUpdate = ImportedRecord | EventUpdate;

/** The part of a batch that only runs have. */
export interface RunOfBatch {
  readonly id: string;
  /**
   * The number of the batch in its run, 0 or more. It is kept with the ids that the batch settles, so that the one
   * batch that was written and is not known to be can be told from an id that comes twice in a run.
   */
  readonly batch: number;
  /**
   * Record ids that are counted in this batch without being written, each with how it became settled: those that
   * failed or were left out, and those that an earlier reading of the same run had settled. Ids that are known keep
   * their first outcome and get the number of this batch. At most {@link MAX_BATCH}.
   */
  readonly settled: ReadonlyMap<string, SettledAs>;
  /**
   * Update times of records that are counted in this batch, in microseconds since 1970, by record id: whether a later
   * record of an id that has failed is newer can be told only by them. The first that is given stays.
   */
  readonly times?: ReadonlyMap<string, bigint>;
  /**
   * Record ids of which the filter has left out the first record, and not this later one: they stay settled as `Filter`, and
   * a purge leaves their identities. Absent: none.
   */
  readonly unfiltered?: ReadonlySet<string>;
}

/** Updates of identities of one pipeline that are written in one transaction. */
export interface IdentityBatch {
  readonly pipeline: PipelineId;
  readonly connection: ConnectionId;
  /** At most {@link MAX_BATCH}. The order is of no importance, but for equal times and tie-breakers: the first stays. */
  readonly updates: readonly IdentityUpdate[];
  /** Absent: the updates come from events. */
  readonly run?: RunOfBatch;
}

/** What became of one update. */
export interface IdentityOutcome {
  /** Why the warehouse has refused the identity, in its own words, without any value of a record. Absent: it was merged. */
  readonly refused?: string;
  /**
   * What the run had settled about the record id before this update: in earlier batches, in an earlier attempt at this
   * batch, which has the same number, or with an earlier update of this batch. Always absent without a run.
   */
  readonly before?: Settled;
}

/**
 * Writes identities under one epoch. Every method rejects with `WarehouseFault`: `fenced` when the role has a newer epoch,
 * `outdated` when the profile schema has another version than the one that the writer was opened with, `newer` when
 * the layout is of a newer version of the service, `foreign` when the warehouse is of another workspace. Then nothing
 * was written. After `unreachable` it is unknown whether something was: every method may be repeated.
 */
export interface IdentityWriter {
  /**
   * Merges a batch into the identities, by the time of each property, and records what the run has settled, in one
   * transaction. Any batch, in any order and repeated any number of times, leaves the same identities. Identities that
   * the server refuses are isolated by halving; the others are written, in as many transactions as that takes.
   *
   * @param before the batch may be staged meanwhile, but nothing is merged until it resolves; when it rejects, nothing
   *   is, and so does this. Absent: nothing is waited for.
   * @returns what became of each update, in their order.
   * @throws RangeError when the batch is over its limits.
   */
  write(batch: IdentityBatch, before?: Promise<unknown>): Promise<readonly IdentityOutcome[]>;
  /** What a run has settled about these record ids; those that it has not seen are not in the answer. */
  seen(run: string, recordIds: readonly string[]): Promise<ReadonlyMap<string, Settled>>;
  /**
   * Deletes the known identities of a pipeline that a run has not seen, or of which its filter has left out every record, in
   * bounded transactions. Deletes nothing when nothing is recorded of the run, as after {@link forget}. To be repeated after a
   * fault, or by another writer: it goes on with what is left.
   *
   * @param onPiece awaited between two transactions, with how many identities the run has deleted by then. What it rejects
   *   with ends the purge.
   * @returns how many identities the run has deleted: by this call, and by those before it that were cut off.
   */
  purge(
    pipeline: PipelineId,
    run: string,
    onPiece?: (purged: number) => Promise<void>,
  ): Promise<number>;
  /** Deletes what is kept of what the run has settled, in bounded transactions. */
  forget(run: string): Promise<void>;
}

/** Writes into the warehouse of one workspace, over a few connections of its own. */
export interface WarehouseWriter {
  /**
   * Takes a role over: from then on, whatever an older epoch writes is refused. Repeating it under the same epoch
   * changes nothing. To stop a writer without writing oneself, begin with a higher epoch.
   *
   * @throws WarehouseFault `fenced` when the role has a newer epoch; else as the methods of {@link IdentityWriter}.
   * @throws RangeError when the epoch is out of its range.
   */
  begin(writer: Writer): Promise<IdentityWriter>;
  /**
   * Drops what writers that were lost have left behind.
   *
   * @returns the names of what was dropped.
   * @throws WarehouseFault
   */
  dropLeftOvers(): Promise<readonly string[]>;
  /** As {@link begin}, for events. Both may be used at the same time under one role and epoch. */
  beginEvents(writer: Writer): Promise<EventWriter>;
  /**
   * As {@link begin}, for identity resolution.
   *
   * @param rules of which a change is followed by {@link Resolver.takeApart}.
   * @throws RangeError when identifiers are not in the schema of profiles, or too many.
   */
  beginResolution(writer: Writer, rules: ResolutionRules): Promise<Resolver>;
  /** As {@link begin}, for the erasure of one person. What was erased is left out by every writer from then on. */
  beginErasure(writer: Writer, erasure: Erasure): Promise<Eraser>;
  /**
   * As {@link begin}, for the removal of what a pipeline has written.
   *
   * @param lost properties that a pipeline which was not deleted writes no more, by their paths with names joined by dots;
   * those that profiles do not have are left out. Absent: the pipeline was deleted.
   */
  beginRemoval(writer: Writer, pipeline: PipelineId, lost?: readonly string[]): Promise<Remover>;
  /**
   * Pipelines that have identities, whether they were deleted or not, by their ids.
   *
   * @param limit how many at most.
   * @throws WarehouseFault
   */
  pipelines(limit: number): Promise<readonly PipelineId[]>;
  /**
   * As {@link begin}, for the users of an application that a run exports to.
   *
   * @param owner names the pipeline and its run: what others keep is not seen.
   */
  beginMatches(writer: Writer, owner: string): Promise<MatchWriter>;
  /** Ends the connections, once their statements have ended. */
  close(): Promise<void>;
}
