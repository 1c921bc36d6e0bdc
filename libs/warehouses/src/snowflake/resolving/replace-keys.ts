import { KINDS, OWNER } from '../../resolving/keys';
import { qualified } from '../sql/names';
import type { Batch } from './batch';
import { keyOfRecord, makeKeys } from './identity-keys';

const KEYS = '_IDENTITY_KEYS';

/** Whether two rows, of `_IDENTITY_KEYS` and of a table of the batch, are the same. */
const isSame = (key: string, other: string): string =>
  ['IDENTITY', 'KIND', 'KEY', 'MASK']
    .map((name) => `${key}."${name}" = ${other}.${name}`)
    .join(' AND ');

const COLUMNS = 'k."IDENTITY", k."KIND", k."KEY", k."MASK"';

/** Finds which keys the taken identities have lost and gained, but for those of owners. */
const compareKeys = (batch: Batch): Promise<number> => {
  const keys = qualified(batch.place, KEYS);
  const { fresh, taken } = batch.tables;
  return batch.fill(
    'altered',
    `SELECT ${COLUMNS}, FALSE
     FROM ${taken} AS t JOIN ${keys} AS k ON k."IDENTITY" = t.IDENTITY
     LEFT JOIN ${fresh} AS f ON ${isSame('k', 'f')}
     WHERE f.IDENTITY IS NULL
       AND (t.IS_GONE OR NOT (k."KIND" = '${KINDS.anonymous}' AND k."MASK" = ${String(OWNER)}))
     UNION ALL
     SELECT f.IDENTITY, f.KIND, f.KEY, f.MASK, TRUE
     FROM ${taken} AS t JOIN ${fresh} AS f ON f.IDENTITY = t.IDENTITY
     LEFT JOIN ${keys} AS k ON ${isSame('k', 'f')}
     WHERE t.HAD_KEYS AND k."IDENTITY" IS NULL`,
  );
};

/** SQL of who was named with the anonymous id of a claim first: the owners of the ids that a taken identity has to do with. */
const selectOwners = ({ place, tables: { altered, fresh, taken } }: Batch): string => `
    WITH claim AS (
      SELECT KEY FROM ${fresh} WHERE KIND = '${KINDS.claim}'
      UNION SELECT KEY FROM ${altered} WHERE KIND = '${KINDS.claim}'),
    claimant AS (
      SELECT k."KEY" AS KEY, k."IDENTITY" AS IDENTITY
      FROM claim AS c JOIN ${qualified(place, KEYS)} AS k ON k."KIND" = '${KINDS.claim}' AND k."KEY" = c.KEY
      LEFT JOIN ${taken} AS t ON t.IDENTITY = k."IDENTITY" WHERE t.IDENTITY IS NULL
      UNION ALL SELECT KEY, IDENTITY FROM ${fresh} WHERE KIND = '${KINDS.claim}'),
    naming AS (
      SELECT i."_ID" AS IDENTITY, i."_RECORD_ID" AS RECORD,
             ${keyOfRecord('i."_CONNECTION"', 'f.KEY')} AS KEY, f.VALUE::VARCHAR AS STAMP
      FROM (SELECT DISTINCT IDENTITY FROM claimant) AS c
      JOIN ${qualified(place, '_IDENTITIES')} AS i ON i."_ID" = c.IDENTITY,
      LATERAL FLATTEN(INPUT => i."_ANONYMOUS_TIMES") AS f),
    owner AS (
      SELECT c.KEY, c.IDENTITY
      FROM claimant AS c JOIN naming AS n ON n.IDENTITY = c.IDENTITY AND n.KEY = c.KEY
      QUALIFY ROW_NUMBER() OVER (PARTITION BY c.KEY ORDER BY n.STAMP, n.RECORD, n.IDENTITY) = 1)`;

/** Finds which rows of owners are others: the owner is whoever was named with the id first. */
const compareOwners = (batch: Batch): Promise<number> => {
  const keys = qualified(batch.place, KEYS);
  const { altered } = batch.tables;
  const isOwned = `k."KIND" = '${KINDS.anonymous}' AND k."MASK" = ${String(OWNER)}`;
  return batch.add(
    'altered',
    `${selectOwners(batch)}
     SELECT ${COLUMNS}, FALSE
     FROM claim AS c JOIN ${keys} AS k ON k."KEY" = c.KEY AND ${isOwned}
     LEFT JOIN owner AS o ON o.KEY = k."KEY" AND o.IDENTITY = k."IDENTITY"
     LEFT JOIN ${altered} AS a ON ${isSame('k', 'a')}
     WHERE o.KEY IS NULL AND a.KEY IS NULL
     UNION ALL
     SELECT o.IDENTITY, '${KINDS.anonymous}', o.KEY, ${String(OWNER)}, TRUE
     FROM owner AS o LEFT JOIN ${keys} AS k ON k."KEY" = o.KEY AND k."IDENTITY" = o.IDENTITY AND ${isOwned}
     WHERE k."KEY" IS NULL`,
  );
};

/** Replaces the keys of the taken identities and of owners, and notes in `altered` which have changed. */
export const replaceKeys = async (batch: Batch): Promise<void> => {
  const { altered, fresh, taken } = batch.tables;
  await makeKeys(batch);
  await compareKeys(batch);
  await compareOwners(batch);
  await batch.write(
    `MERGE INTO ${qualified(batch.place, KEYS)} AS k
     USING (SELECT IDENTITY, KIND, KEY, MASK, IS_GAINED FROM ${altered}
            UNION ALL
            SELECT f.IDENTITY, f.KIND, f.KEY, f.MASK, TRUE
            FROM ${taken} AS t JOIN ${fresh} AS f ON f.IDENTITY = t.IDENTITY WHERE NOT t.HAD_KEYS) AS a
     ON ${isSame('k', 'a')}
     WHEN MATCHED AND NOT a.IS_GAINED THEN DELETE
     WHEN NOT MATCHED AND a.IS_GAINED THEN INSERT ("IDENTITY", "KIND", "KEY", "MASK")
     VALUES (a.IDENTITY, a.KIND, a.KEY, a.MASK)`,
  );
};
