/**
 * What the rows of `_IDENTITY_KEYS` are of. Those of one kind and key are a bucket; two identities of a bucket are joined
 * when their masks have no bit in common, but for claims, which join nobody.
 */
export const KINDS = {
  /** A known identity, by connection and record id. */
  known: 'k',
  /** An anonymous identity, likewise, with mask 0; and the owner of that anonymous id, with mask 1. */
  anonymous: 'n',
} as const;

/** The mask of the owner of an anonymous id. */
export const OWNER = 1;

/** SQL of the key of a record id of a connection, whose id has no space. A text of any length is a key as it stands. */
export const keyOfRecord = (connection: string, recordId: string): string =>
  `(${connection} || ' ' || ${recordId})`;
