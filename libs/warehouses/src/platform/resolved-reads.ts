import type { RecordedProfileFact } from './resolver';

/** Of what a warehouse has told. */
export interface ResolvedHead {
  /** When the warehouse was made, in milliseconds since 1970, by the clock of its facts. */
  readonly madeAtMs: number;
  /** Number of the newest fact that was recorded; undefined: there is none. */
  readonly newest: number | undefined;
}

/** An identity, and the profile that it is in; `null` until it is resolved. */
export interface ResolvedIdentity {
  readonly number: number;
  readonly profile: string | null;
}

/** A profile, and how many identities it had when it was last resolved. */
export interface ResolvedProfile {
  readonly profile: string;
  readonly identities: number;
}

/** An id that was absorbed, and the profile that it names. */
export interface ProfileAlias {
  readonly alias: string;
  readonly profile: string;
}

/** A fact in the history of a profile. */
export interface FactInHistory {
  readonly profile: string;
  readonly number: number;
}

type Pages<Row> = AsyncIterable<readonly Row[]>;

/**
 * What resolutions have made of the identities of a warehouse, at one moment: a batch is in all of it or in none. Everything is
 * read page by page, in proportion to what there is. Every method rejects as those of `WarehouseReader` do.
 */
export interface ResolvedState {
  head(): Promise<ResolvedHead>;
  /** Facts that are not known to be published, in their order. */
  facts(): Pages<RecordedProfileFact>;
  /** By their numbers. */
  identities(): Pages<ResolvedIdentity>;
  profiles(): Pages<ResolvedProfile>;
  aliases(): Pages<ProfileAlias>;
  /** Facts that were published, once for each profile that they name; without those of people who were erased. */
  history(): Pages<FactInHistory>;
  /** Profiles of identities that were changed since they were resolved; some of them several times. */
  unresolved(): Pages<{ readonly profile: string }>;
}
