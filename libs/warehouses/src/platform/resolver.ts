import type { ConnectionId, ProfileFact } from '@penstock/contracts';

/** By what identities are joined, and whose values profiles have. */
export interface ResolutionRules {
  /** Property paths of the profile schema in order of priority, at most {@link MAX_IDENTIFIERS}. */
  readonly identifiers: readonly string[];
  /** Values of identifiers, by path, that count as none. */
  readonly blockedValues: ReadonlyMap<string, ReadonlySet<string>>;
  /** The source whose values of a property are preferred, by path. */
  readonly primarySources: ReadonlyMap<string, ConnectionId>;
}

/** The most identifiers of a workspace. */
export const MAX_IDENTIFIERS = 16;

/** The most changed identities that one batch takes. */
export const MAX_RESOLVED = 50_000;

/** What one batch has done. */
export interface ResolvedBatch {
  /** Changed identities that were taken: those that are gone are counted too. */
  readonly identities: number;
  /** Profiles that were made, absorbed by others, made by splits, and removed. */
  readonly created: number;
  readonly merged: number;
  readonly split: number;
  readonly deleted: number;
  /**
   * Whether nothing was left to be resolved of what was changed before the first batch after the last one, and no event to
   * get the profile of its identity.
   */
  readonly isLast: boolean;
}

/** A value that too many identities have in common: a mistake, more often than a person. */
export interface SharedValue {
  readonly identifier: string;
  readonly value: string;
  readonly identities: number;
}

/** A fact that a resolution has recorded with what it has changed. */
export interface RecordedProfileFact {
  /** Its number in the warehouse: greater than those of the facts before it. */
  readonly number: string;
  /** When it was recorded, in milliseconds since 1970. */
  readonly atMs: number;
  readonly fact: ProfileFact;
}

/**
 * Decides which identities of one warehouse are one person, and makes their profiles. Every method rejects with
 * `WarehouseFault`, as those of `IdentityWriter` do; besides with `busy` while the schema of profiles is being changed or
 * the warehouse repaired. Nothing was changed then. After `unreachable` it is unknown whether something was: every method
 * may be repeated.
 */
export interface Resolver {
  /** Number of identities that were changed since they were resolved. */
  pending(): Promise<number>;
  /**
   * Marks all identities as changed and takes all profiles apart, as after a change of the rules: the next batches compute
   * everything anew. Profiles keep their ids where they can. It is done in pieces: where it was not ended, it is to be repeated
   * before anything is resolved by other rules.
   *
   * @param signal gives it up.
   */
  takeApart(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves the identities that were changed first, in one transaction, with whatever they are joined to. Readers see it
   * wholly or not at all, but for events: those get the profiles that their identities have got by the calls after it, in
   * pieces, before these resolve anything.
   *
   * @param limit of changed identities, 1 to {@link MAX_RESOLVED}; all of a profile that may split are taken together.
   * @param signal gives it up: then nothing was changed but profiles of events.
   */
  resolve(limit: number, signal: AbortSignal): Promise<ResolvedBatch>;
  /** The values of identifiers that more than 1,000 identities share, those that most share first; at most 100. */
  sharedValues(): Promise<readonly SharedValue[]>;
  /** The oldest recorded facts that were not forgotten yet, in their order. */
  facts(limit: number): Promise<readonly RecordedProfileFact[]>;
  /** Takes the recorded facts up to this number into the history of their profiles: they are published. */
  forgetFacts(upTo: string): Promise<void>;
}
