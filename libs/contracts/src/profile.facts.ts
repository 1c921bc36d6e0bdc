import type { Instant, WorkspaceId } from './ids';

/** How two identities came to be joined: by which rule, and by which identifier where it is `d`. */
export interface JoinedBy {
  /**
   * - `a`: the same record id in two pipelines of one connection
   * - `b`: an anonymous id and the known user who owns it
   * - `c`: a previous id of a known user
   * - `d`: the same value of an identifier
   */
  readonly rule: 'a' | 'b' | 'c' | 'd';
  /** The path of the identifier; `null` but for rule `d`. The value is in no fact. */
  readonly identifier: string | null;
  /** Two identities that are joined so, by their numbers in the warehouse. */
  readonly identities: readonly [string, string];
}

/** A profile was made. */
export interface ProfileCreated {
  readonly type: 'ProfileCreated';
  /** The profile: a UUID that no other profile ever has. */
  readonly id: string;
  /** Numbers of its identities in the warehouse, the smallest first; at most the first 100. */
  readonly identities: readonly string[];
}

/** Several profiles turned out to be one person. */
export interface ProfilesMerged {
  readonly type: 'ProfilesMerged';
  readonly survivor: string;
  /** Ids that name the survivor from then on, sorted. */
  readonly absorbed: readonly string[];
  /** What joined each of the absorbed with another one, in their order; at most the first 100. */
  readonly joinedBy: readonly JoinedBy[];
}

/** The identities of one profile turned out to be of several people. */
export interface ProfileSplit {
  readonly type: 'ProfileSplit';
  readonly kept: string;
  /** The other profiles that its identities are in now, sorted. */
  readonly created: readonly string[];
  /** `removed`: identities are gone; `changed`: their values, owners, or the identifiers are others. */
  readonly reason: 'removed' | 'changed';
}

/** A profile has no identity any more. */
export interface ProfileDeleted {
  readonly type: 'ProfileDeleted';
  readonly id: string;
  /** `removed`: its identities are gone; `changed`: they are in other profiles; `erased`: the person was erased. */
  readonly reason: 'removed' | 'changed' | 'erased';
}

/** What happened to a profile. */
export type ProfileFact = ProfileCreated | ProfilesMerged | ProfileSplit | ProfileDeleted;

/** The profile that a fact is of: the one that stays, where there are several. */
export const profileOf = (fact: ProfileFact): string => {
  if (fact.type === 'ProfilesMerged') return fact.survivor;
  return fact.type === 'ProfileSplit' ? fact.kept : fact.id;
};

/** A fact as it stands on the topic `profiles`, at least once. */
export interface PublishedProfileFact {
  /** Names the fact, so that readers can drop repetitions. */
  readonly id: string;
  readonly workspace: WorkspaceId;
  /** Decimal; greater than those of the facts of the workspace before it. Parts of one fact share it. */
  readonly number: string;
  /** When the warehouse has recorded it. */
  readonly time: Instant;
  readonly fact: ProfileFact;
}
