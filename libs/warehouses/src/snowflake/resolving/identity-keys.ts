import { snowflakeText } from '@penstock/databases';
import {
  keyOfText,
  kindOfIdentifier,
  kindOfRecord,
  KINDS,
  maskBelow,
  textOfRecord,
} from '../../resolving/keys';
import { type Place, qualified } from '../sql/names';
import type { Batch } from './batch';
import type { Identifier } from './rules';

/** SQL of the key of a text: equal exactly when the texts are. */
const keyOf = (text: string): string => keyOfText(text, `SHA2_HEX(${text}, 256)`);

/** SQL of the key of a record id of a connection. */
export const keyOfRecord = (connection: string, recordId: string): string =>
  keyOf(textOfRecord(connection, recordId));

/** SQL of the value of an identifier; null where it counts as none. */
const valueOf = ({ text, blocked }: Identifier): string => {
  const none = ['', ...blocked].map(snowflakeText).join(', ');
  return `CASE WHEN ${text} IN (${none}) THEN NULL ELSE ${text} END`;
};

const valueColumn = (place: number): string => `VALUE_${String(place)}`;

/** SQL of what the taken identities can be joined by, without the rows of owners. */
const selectKeys = ({ place, rules: { identifiers }, tables }: Batch): string => {
  const values = identifiers.map(
    (identifier, index) => `${valueOf(identifier)} AS ${valueColumn(index)}`,
  );
  const ofRecord = (id: string): string => keyOfRecord('"_CONNECTION"', id);
  const source = [
    ...['_ID', '_CONNECTION', '_RECORD_ID', '_ANONYMOUS', '_PREVIOUS_IDS', '_ANONYMOUS_TIMES'].map(
      (name) => `i."${name}"`,
    ),
    ...values,
  ];
  const others = identifiers.map(
    (_, index) =>
      `SELECT "_ID", '${kindOfIdentifier(index)}', ${keyOf(valueColumn(index))}, ${maskBelow(index, valueColumn)}
       FROM source WHERE ${valueColumn(index)} IS NOT NULL`,
  );
  return `
    WITH source AS (
      SELECT ${source.join(', ')}
      FROM ${tables.taken} AS t JOIN ${qualified(place, '_IDENTITIES')} AS i ON i."_ID" = t.IDENTITY),
    claim AS (
      SELECT s."_ID", s."_CONNECTION", f.KEY AS NAMED FROM source AS s,
      LATERAL FLATTEN(INPUT => s."_ANONYMOUS_TIMES") AS f WHERE NOT s."_ANONYMOUS"),
    previous AS (
      SELECT s."_ID", s."_CONNECTION", f.VALUE::VARCHAR AS NAMED FROM source AS s,
      LATERAL FLATTEN(INPUT => s."_PREVIOUS_IDS") AS f WHERE NOT s."_ANONYMOUS")
    ${[
      `SELECT "_ID", ${kindOfRecord('"_ANONYMOUS"')}, ${ofRecord('"_RECORD_ID"')}, 0 FROM source`,
      `SELECT "_ID", '${KINDS.claim}', ${ofRecord('NAMED')}, 0 FROM claim`,
      `SELECT "_ID", '${KINDS.previous}', ${ofRecord('NAMED')}, 0 FROM previous`,
      ...others,
    ].join(' UNION ALL ')}`;
};

/**
 * A statement that gives identities of profiles that are about to be removed the key that tells what they were, where they have
 * none, as while everything is resolved anew: whose events they had is known by it, to the resolution and to an erasure.
 *
 * @param gone SQL of their numbers and profiles, as `ID` and `PROFILE`.
 */
export const keepKeys = (place: Place, gone: string): string => {
  const keys = qualified(place, '_IDENTITY_KEYS');
  return `
    INSERT INTO ${keys} ("IDENTITY", "KIND", "KEY", "MASK")
    SELECT i."_ID", ${kindOfRecord('i."_ANONYMOUS"')}, ${keyOfRecord('i."_CONNECTION"', 'i."_RECORD_ID"')}, 0
    FROM (${gone}) AS g JOIN ${qualified(place, '_IDENTITIES')} AS i ON i."_ID" = g.ID
    WHERE g.PROFILE IS NOT NULL AND g.ID NOT IN (SELECT k."IDENTITY" FROM ${keys} AS k)`;
};

/** Finds what the taken identities can be joined by. */
export const makeKeys = (batch: Batch): Promise<number> => batch.fill('fresh', selectKeys(batch));
