import type { RecordedFact, RequestContext } from '@penstock/contracts';

/** A fact before it is recorded. */
export interface NewFact {
  readonly type: string;
  readonly data: object;
}

/** The newest state of one stream. The version is the number of its facts. */
export interface Stream<State> {
  /** State after the newest fact; undefined when the stream does not exist. */
  readonly state: State | undefined;
  readonly version: number;
}

/** Facts to append to a stream, each with the state of the object after it, as it is published to other services. */
export interface StreamAppend {
  readonly stream: string;
  /** Owner of the object: the id of its workspace, or of the organization for objects outside workspaces. */
  readonly owner: string;
  /** The stream's version that the decision was based on. */
  readonly version: number;
  readonly facts: readonly (NewFact & { readonly state: object })[];
}

/** Actor, request and command of an append; recorded with every fact. */
export type Cause = Pick<RequestContext, 'commandId' | 'actor' | 'requestId'>;

/** Work inside the append's transaction. `Db` is the store's own handle. */
type InTransaction<Db, Input> = (db: Db, input: Input) => Promise<void>;

/** What one command appends in one transaction: facts of some streams, the reply, the views. */
export interface Append<Db> {
  readonly streams: readonly StreamAppend[];
  readonly cause: Cause;
  /** The answer to repetitions of the command. */
  readonly reply: object;
  /**
   * Runs while no other append can commit: checks limits over many streams, and writes rows that belong to the same
   * transaction. A refusal that it throws rolls everything back.
   */
  readonly verify?: ((db: Db) => Promise<void>) | undefined;
  /** Writes the views: a read after the append sees them. */
  readonly project: InTransaction<Db, readonly StoredFact[]>;
  /**
   * Whether everything is rolled back once it has succeeded: whatever refuses an append refuses a dry run too. Default:
   * no.
   */
  readonly isDryRun?: boolean | undefined;
}

/** A recorded fact with the state of its object after it. */
export interface StoredFact extends RecordedFact<{ type: string; data: object }> {
  /** See {@link StreamAppend}. */
  readonly owner: string;
  readonly state: object;
  /** Hash of the fact in the chain of its owner: see `chainHash`. */
  readonly hash: string;
}

/** The reply to a command, with the position of the newest fact when it was recorded. */
export interface StoredReply {
  readonly position: number;
  readonly reply: object;
}

/** Another append was first on one of the streams: read and decide again. */
export class VersionConflict extends Error {
  override readonly name = 'VersionConflict';
}

/** Limits of one read of facts. A read returns at least one fact, whatever its size. */
export interface FactsLimit {
  readonly maxFacts: number;
  /** UTF-8 bytes; applies to the sum of all data, and to the sum of all states. */
  readonly maxBytes: number;
}

/** Stores facts, replies and views. Abstract class: the port and its DI token in one. */
export abstract class EventStore<Db> {
  /** Handle for reads beside the store; inside {@link alone}, the handle of its transaction. */
  abstract readonly db: Db;

  /**
   * Reads each stream, in the order of the names; version 0 when it does not exist. The cost does not grow with the
   * number of facts.
   */
  abstract read<State>(streams: readonly string[]): Promise<readonly Stream<State>[]>;

  /**
   * Appends facts, views and the reply in one transaction. Positions follow the order of commits, and so do the facts'
   * effective times: each is recorded at the time of the store's clock, or of the newest fact where that is later.
   * Without facts it records the reply alone. A dry run records nothing, and its position is that of the newest fact.
   *
   * @returns the recorded reply: that of the first append with this command id.
   * @throws VersionConflict
   */
  abstract append(append: Append<Db>): Promise<StoredReply>;

  /**
   * Runs the work in one transaction while no other append can run, so that what it reads stays valid until it has
   * appended. All other appends wait: meant for commands that have lost the race too often.
   */
  abstract alone<T>(work: (store: EventStore<Db>) => Promise<T>): Promise<T>;

  /** Returns the reply of a command that was appended before. */
  abstract replyTo(commandId: string): Promise<StoredReply | undefined>;

  /** Deletes the replies from before the moment: commands are not repeated that late. */
  abstract forgetRepliesBefore(moment: Date): Promise<void>;

  /** Reads the facts after a position, in order, without a gap. */
  abstract factsAfter(position: number, limit: FactsLimit): Promise<readonly StoredFact[]>;

  /** Position of the newest fact; 0 when there is none. */
  abstract position(): Promise<number>;
}
