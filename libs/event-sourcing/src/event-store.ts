import type { RecordedFact, RequestContext } from '@penstock/contracts';

/** A fact before it is recorded. */
export interface NewFact {
  readonly type: string;
  readonly data: object;
}

/** What the facts of one stream have come to; the version is their number. */
export interface Stream<State> {
  /** As the newest fact has left it; undefined when the stream does not exist. */
  readonly state: State | undefined;
  readonly version: number;
}

/** Facts that go on a stream, each with the state of the object after it, as other services will hold it. */
export interface StreamAppend {
  readonly stream: string;
  /** Whose the object is: the id of a workspace, or of an organization for what belongs to none. */
  readonly owner: string;
  /** The version that the decision was made on. */
  readonly version: number;
  readonly facts: readonly (NewFact & { readonly state: object })[];
}

/** Who did it and why: goes with every recorded fact. */
export type Cause = Pick<RequestContext, 'commandId' | 'actor' | 'requestId'>;

/** Something to do inside the append's transaction. `Db` is the store's own handle. */
type InTransaction<Db, Input> = (db: Db, input: Input) => Promise<void>;

/** What one command appends: facts of some streams, the reply, the views, in one transaction. */
export interface Append<Db> {
  readonly streams: readonly StreamAppend[];
  readonly cause: Cause;
  /** What a repetition of the command is answered. */
  readonly reply: object;
  /**
   * Done when no other append can come between: limits over many streams are checked here, and what stands and falls
   * with the facts is written. A refusal that it throws undoes everything.
   */
  readonly verify?: ((db: Db) => Promise<void>) | undefined;
  /** Writes the views: who reads after the append sees it. */
  readonly project: InTransaction<Db, readonly StoredFact[]>;
  /** Whether all of it is undone once it has gone well: whatever refuses an append refuses this too. Absent: no. */
  readonly isDryRun?: boolean | undefined;
}

/** A recorded fact with the state of its object after it. */
export interface StoredFact extends RecordedFact<{ type: string; data: object }> {
  /** See {@link StreamAppend}. */
  readonly owner: string;
  readonly state: object;
  /** In the chain of its owner's facts: see `chainHash`. */
  readonly hash: string;
}

/** What a command was answered, and how far the configuration had come with it. */
export interface StoredReply {
  readonly position: number;
  readonly reply: object;
}

/** Another writer was first on one of the streams: read again and decide again. */
export class VersionConflict extends Error {
  override readonly name = 'VersionConflict';
}

/** How many facts are read at once: at least one, whatever its size. */
export interface FactsLimit {
  readonly maxFacts: number;
  /** UTF-8 bytes of all data, and of all states. */
  readonly maxBytes: number;
}

/** Where facts are kept. Abstract class: the port and its DI token in one. */
export abstract class EventStore<Db> {
  /** What reading takes place on; the same one that {@link alone} works on. */
  abstract readonly db: Db;

  /** Each stream in the order of the names; of version 0 when it does not exist. What it costs does not grow with them. */
  abstract read<State>(streams: readonly string[]): Promise<readonly Stream<State>[]>;

  /**
   * All or nothing: facts, views and the reply, in one transaction. Positions follow the order of commits, and so do the
   * facts' effective times: each is recorded at the time of the store's clock, or of the newest fact where that is later.
   * Without facts it records the reply alone. A dry run records nothing, and its position is that of the newest fact.
   *
   * @returns the reply that counts: that of the first append with this command id.
   * @throws VersionConflict
   */
  abstract append(append: Append<Db>): Promise<StoredReply>;

  /**
   * Does the work in one transaction, while nobody else can append: what it reads stays so until it has
   * appended. Everybody else waits, so this is for what has lost the race too often.
   */
  abstract alone<T>(work: (store: EventStore<Db>) => Promise<T>): Promise<T>;

  /** The reply of a command that was appended before. */
  abstract replyTo(commandId: string): Promise<StoredReply | undefined>;

  /** Forgets what was replied before the moment: a command is not repeated that late. */
  abstract forgetRepliesBefore(moment: Date): Promise<void>;

  /** Facts behind a position, in order, without a gap. */
  abstract factsAfter(position: number, limit: FactsLimit): Promise<readonly StoredFact[]>;

  /** Position of the newest fact; 0 when there is none. */
  abstract position(): Promise<number>;
}
