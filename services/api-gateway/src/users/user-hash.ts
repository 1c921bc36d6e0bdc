/** A keyed hash, by which a user can be found and not be read. */
export class UserHash {
  constructor(readonly of: (text: string) => string) {}
}
