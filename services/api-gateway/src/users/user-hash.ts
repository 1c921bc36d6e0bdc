/** Computes keyed hashes of user ids: a user can be found by the hash, but not be derived from it. */
export class UserHash {
  constructor(readonly of: (text: string) => string) {}
}
