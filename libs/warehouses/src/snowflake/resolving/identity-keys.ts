import { snowflakeText } from '@penstock/databases';
import { keyOfText, kindOfIdentifier, KINDS, maskBelow, textOfRecord } from '../../resolving/keys';
import { qualified } from '../sql/names';
import type { Batch } from './batch';
import type { Identifier } from './rules';

export { KINDS, OWNER } from '../../resolving/keys';

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
  const own = `CASE WHEN "_ANONYMOUS" THEN '${KINDS.anonymous}' ELSE '${KINDS.known}' END`;
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
      `SELECT "_ID", ${own}, ${ofRecord('"_RECORD_ID"')}, 0 FROM source`,
      `SELECT "_ID", '${KINDS.claim}', ${ofRecord('NAMED')}, 0 FROM claim`,
      `SELECT "_ID", '${KINDS.previous}', ${ofRecord('NAMED')}, 0 FROM previous`,
      ...others,
    ].join(' UNION ALL ')}`;
};

/** Finds what the taken identities can be joined by. */
export const makeKeys = (batch: Batch): Promise<number> => batch.fill('fresh', selectKeys(batch));
