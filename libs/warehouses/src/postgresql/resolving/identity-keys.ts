import { escapeIdentifier, escapeLiteral } from 'pg';
import { qualified } from '../sql/names';
import type { Identifier, Rules } from './rules';
import type { StageTables } from './stage-tables';

/**
 * What the rows of `_identity_keys` are of. Those of one kind and key are a bucket; two identities of a bucket are joined
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

/** SQL of the key of a text: equal exactly when the texts are. */
const keyOf = (text: string): string =>
  `CASE WHEN octet_length(${text}) <= ${MAX_PLAIN_BYTES} THEN '${PLAIN}' || ${text}
        ELSE '#' || encode(sha256(convert_to(${text}, 'UTF8')), 'hex') END`;

/** SQL of whether a key holds its text. */
export const isPlain = (key: string): string => `left(${key}, 1) = '${PLAIN}'`;

/** SQL of the text of a key that holds it. */
export const textOf = (key: string): string => `substr(${key}, 2)`;

/** SQL of the key of a record id of a connection, whose id has no space. */
export const keyOfRecord = (connection: string, recordId: string): string =>
  keyOf(`(${connection} || ' ' || ${recordId})`);

/** SQL of the kind of the key of a record. */
const kindOfRecord = (isAnonymous: string): string =>
  `CASE WHEN ${isAnonymous} THEN '${KINDS.anonymous}' ELSE '${KINDS.known}' END`;

/** SQL of the record id in a plain {@link keyOfRecord}. */
export const recordIdOf = (key: string): string => `substr(${key}, position(' ' IN ${key}) + 1)`;

/** SQL of the connection in a plain {@link keyOfRecord}. */
export const connectionOf = (key: string): string =>
  `substr(${key}, 2, position(' ' IN ${key}) - 2)`;

/** SQL of the value of an identifier; null where it counts as none. */
const valueOf = ({ text, blocked }: Identifier): string => {
  const isNone = [
    `${text} = ''`,
    ...(blocked.size === 0
      ? []
      : [
          `${text} IN (SELECT unnest(ARRAY[${[...blocked].map(escapeLiteral).join(', ')}]::text[]))`,
        ]),
  ];
  return `CASE WHEN ${isNone.join(' OR ')} THEN NULL ELSE ${text} END`;
};

const valueColumn = (place: number): string => escapeIdentifier(`value_${String(place)}`);

/** SQL of the identifiers of higher priority that an identity has, a bit for each. */
const maskBelow = (place: number): string =>
  [
    '0',
    ...Array.from(
      { length: place },
      (_, bit) => `CASE WHEN ${valueColumn(bit)} IS NULL THEN 0 ELSE ${String(2 ** bit)} END`,
    ),
  ].join(' + ');

/**
 * A statement that gives identities of profiles that are being removed the key that tells what they were, where they have none,
 * as while everything is resolved anew: whose events they had is known by it, to the resolution and to an erasure.
 *
 * @param gone SQL of the table expression that has their rows.
 */
export const keepKeys = (schema: string, gone: string): string => {
  const keys = qualified(schema, '_identity_keys');
  return `
    INSERT INTO ${keys} (identity, kind, key, mask)
    SELECT _id, ${kindOfRecord('_anonymous')}, ${keyOfRecord('_connection', '_record_id')}, 0 FROM ${gone}
    WHERE _profile_id IS NOT NULL AND NOT EXISTS (SELECT FROM ${keys} AS k WHERE k.identity = _id)`;
};

/** Fills `fresh` with what the taken identities can be joined by, without the rows of owners. */
export const makeKeys = (
  schema: string,
  { identifiers }: Rules,
  { fresh, taken }: StageTables,
): string => {
  const values = identifiers.map(
    (identifier, place) => `${valueOf(identifier)} AS ${valueColumn(place)}`,
  );
  const ofRecord = (id: string): string => keyOfRecord('_connection', id);
  return `
    INSERT INTO ${fresh} (identity, kind, key, mask)
    WITH source AS MATERIALIZED (
      SELECT ${[
        ...['_id', '_connection', '_record_id', '_anonymous', '_previous_ids', '_anonymous_times'],
        ...values,
      ].join(', ')}
      FROM ${taken} AS t JOIN ${qualified(schema, '_identities')} AS i ON i._id = t.identity)
    ${[
      `SELECT _id, ${kindOfRecord('_anonymous')}, ${ofRecord('_record_id')}, 0 FROM source`,
      `SELECT _id, '${KINDS.claim}', ${ofRecord('named')}, 0
       FROM source CROSS JOIN LATERAL jsonb_object_keys(_anonymous_times) AS named
       WHERE NOT _anonymous AND _anonymous_times <> '{}'`,
      `SELECT _id, '${KINDS.previous}', ${ofRecord('previous')}, 0
       FROM source CROSS JOIN LATERAL unnest(_previous_ids) AS previous
       WHERE NOT _anonymous AND _previous_ids <> '{}'`,
      ...identifiers.map(
        (_, place) =>
          `SELECT _id, '${kindOfIdentifier(place)}', ${keyOf(valueColumn(place))}, ${maskBelow(place)}
           FROM source WHERE ${valueColumn(place)} IS NOT NULL`,
      ),
    ].join(' UNION ALL ')}`;
};
