/**
 * What the rows of the table of keys are of. Those of one kind and key are a bucket; two identities of a bucket are joined
 * when their masks have no bit in common, but for claims, which join nobody.
 */
export const KINDS = {
  /** A known identity, by connection and record id. */
  known: 'k',
  /** An anonymous identity, likewise, with mask 0; and the owner of that anonymous id, with mask 1. */
  anonymous: 'n',
  /** A known identity whose events have named an anonymous id: whoever did so first is its owner. */
  claim: 'o',
  /** A known identity with a previous id; whom the id names is in the buckets of the first two kinds. */
  previous: 'p',
} as const;

/** The mask of the owner of an anonymous id. */
export const OWNER = 1;

/** The kind of the values of an identifier, by its place among the identifiers. */
export const kindOfIdentifier = (place: number): string => `d${String(place)}`;

/** Bytes of the longest text that is a key as it stands. Source: PostgreSQL, entries of an index have 2,704 at most. */
const MAX_PLAIN_BYTES = 2_000;

/** Before a key that is the text itself, rather than its hash. */
const PLAIN = '=';

/**
 * SQL of the key of a text: equal exactly when the texts are, and the same on every platform.
 *
 * @param hash SQL of the SHA-256 of the text, in hexadecimal digits.
 */
export const keyOfText = (text: string, hash: string): string =>
  `CASE WHEN octet_length(${text}) <= ${String(MAX_PLAIN_BYTES)} THEN '${PLAIN}' || ${text}
        ELSE '#' || ${hash} END`;

/** SQL of whether a key holds its text. */
export const isPlain = (key: string): string => `left(${key}, 1) = '${PLAIN}'`;

/** SQL of the text of a key that holds it. */
export const textOf = (key: string): string => `substr(${key}, 2)`;

/** SQL of the text by which a record id of a connection is known, whose id has no space. */
export const textOfRecord = (connection: string, recordId: string): string =>
  `(${connection} || ' ' || ${recordId})`;

/** SQL of the kind of the key of a record. */
export const kindOfRecord = (isAnonymous: string): string =>
  `CASE WHEN ${isAnonymous} THEN '${KINDS.anonymous}' ELSE '${KINDS.known}' END`;

/** SQL of the record id in a plain key of {@link textOfRecord}. */
export const recordIdOf = (key: string): string => `substr(${key}, position(' ' IN ${key}) + 1)`;

/** SQL of the connection in a plain key of {@link textOfRecord}. */
export const connectionOf = (key: string): string =>
  `substr(${key}, 2, position(' ' IN ${key}) - 2)`;

/**
 * SQL of the identifiers of higher priority that an identity has, a bit for each.
 *
 * @param valueColumn SQL of the value of an identifier, by its place; null where the identity has none.
 */
export const maskBelow = (place: number, valueColumn: (place: number) => string): string =>
  [
    '0',
    ...Array.from(
      { length: place },
      (_, bit) => `CASE WHEN ${valueColumn(bit)} IS NULL THEN 0 ELSE ${String(2 ** bit)} END`,
    ),
  ].join(' + ');

/** SQL of the name of the rule by which two rows of a bucket, `m` and `o`, are joined, and of the identifier. */
export const ruleOf = (
  paths: readonly string[],
  literal: (text: string) => string,
): { readonly rule: string; readonly identifier: string } => {
  const identifiers = paths
    .map((path, place) => `WHEN '${kindOfIdentifier(place)}' THEN ${literal(path)}`)
    .join(' ');
  const isOwned = `m.mask = ${String(OWNER)} OR o.mask = ${String(OWNER)}`;
  return {
    rule: `CASE WHEN m.kind = '${KINDS.known}' THEN 'a'
                WHEN m.kind = '${KINDS.anonymous}' THEN CASE WHEN ${isOwned} THEN 'b' ELSE 'a' END
                WHEN m.kind = '${KINDS.previous}' THEN 'c' ELSE 'd' END`,
    identifier: identifiers === '' ? 'CAST(NULL AS VARCHAR)' : `CASE m.kind ${identifiers} END`,
  };
};
