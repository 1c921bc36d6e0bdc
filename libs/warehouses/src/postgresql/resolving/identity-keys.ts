import { escapeIdentifier, escapeLiteral } from 'pg';
import {
  keyOfText,
  kindOfIdentifier,
  kindOfRecord,
  KINDS,
  maskBelow,
  textOfRecord,
} from '../../resolving/keys';
import { qualified } from '../sql/names';
import type { Identifier, Rules } from './rules';
import type { StageTables } from './stage-tables';

export {
  connectionOf,
  isPlain,
  kindOfIdentifier,
  KINDS,
  OWNER,
  recordIdOf,
  textOf,
} from '../../resolving/keys';

/** SQL of the key of a text: equal exactly when the texts are. */
const keyOf = (text: string): string =>
  keyOfText(text, `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`);

/** SQL of the key of a record id of a connection. */
export const keyOfRecord = (connection: string, recordId: string): string =>
  keyOf(textOfRecord(connection, recordId));

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
          `SELECT _id, '${kindOfIdentifier(place)}', ${keyOf(valueColumn(place))}, ${maskBelow(place, valueColumn)}
           FROM source WHERE ${valueColumn(place)} IS NOT NULL`,
      ),
    ].join(' UNION ALL ')}`;
};
