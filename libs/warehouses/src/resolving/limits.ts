/** Profiles that a fact names at most, where it says so. Source: the facts of profiles. */
export const MOST_NAMED = 100;

/** Source: the specification of identities, "The algorithm": values held by more are named. */
export const MOST_SHARING = 1_000;

/** Values that are named at most. */
export const MOST_SHARED = 100;

/** Characters of a value whose key is a hash: it is read from an identity, and cut. */
export const MOST_CHARACTERS = 2_000;
