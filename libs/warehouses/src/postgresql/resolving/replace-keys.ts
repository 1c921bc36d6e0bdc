import { qualified } from '../sql/names';
import type { Batch } from './batch';
import { KINDS, keyOfRecord, makeKeys, OWNER } from './identity-keys';

/** Replaces the keys of the taken identities, and notes in `altered` which have changed. */
export const replaceKeys = async (batch: Batch): Promise<void> => {
  const { schema, rules, tables } = batch;
  const keys = qualified(schema, '_identity_keys');
  await batch.fill('fresh', 'looksUp', makeKeys(schema, rules, tables));
  await batch.make('altered');
  await batch.write(
    'looksUp',
    `WITH lost AS (
       DELETE FROM ${keys} AS k USING ${tables.taken} AS t
       WHERE k.identity = t.identity AND t.had_keys
         AND (t.is_gone OR NOT (k.kind = '${KINDS.anonymous}' AND k.mask = ${OWNER}))
         AND NOT EXISTS (SELECT FROM ${tables.fresh} AS f
                         WHERE f.identity = k.identity AND f.kind = k.kind AND f.key = k.key AND f.mask = k.mask)
       RETURNING k.*)
     INSERT INTO ${tables.altered} (identity, kind, key, mask, is_gained)
     SELECT identity, kind, key, mask, false FROM lost`,
  );
  const freshOf = (hadKeys: string): string =>
    `SELECT f.identity, f.kind, f.key, f.mask
     FROM ${tables.fresh} AS f JOIN ${tables.taken} AS t ON t.identity = f.identity
     WHERE ${hadKeys}`;
  await batch.write(
    'joins',
    `INSERT INTO ${keys} (identity, kind, key, mask) ${freshOf('NOT t.had_keys')}`,
  );
  await batch.fill(
    'altered',
    'looksUp',
    `WITH gained AS (
       INSERT INTO ${keys} (identity, kind, key, mask) ${freshOf('t.had_keys')}
       ON CONFLICT (identity, kind, key) DO NOTHING
       RETURNING *)
     INSERT INTO ${tables.altered} (identity, kind, key, mask, is_gained)
     SELECT identity, kind, key, mask, true FROM gained`,
  );
};

/**
 * Finds the owners of the anonymous ids that a taken identity has to do with, and replaces the rows by which they are joined.
 * The owner is whoever was named with the id first. The anonymous ids of each claimant are read once: there may be very many, and
 * whoever looks one of them up reads all of them.
 */
export const replaceOwners = async (batch: Batch): Promise<void> => {
  const { schema, tables } = batch;
  const keys = qualified(schema, '_identity_keys');
  const claims = await batch.fill(
    'claims',
    'joins',
    `INSERT INTO ${tables.claims} (key)
     SELECT key FROM ${tables.fresh} WHERE kind = '${KINDS.claim}'
     UNION SELECT key FROM ${tables.altered} WHERE kind = '${KINDS.claim}'`,
  );
  if (claims === 0) return;
  await batch.fill(
    'owners',
    'looksUp',
    `INSERT INTO ${tables.owners} (key, identity)
     SELECT DISTINCT ON (key) key, _id
     FROM (SELECT c.key, i._id, i._record_id, e.value AS stamp
           FROM (SELECT DISTINCT k.identity
                 FROM ${tables.claims} AS c
                 JOIN ${keys} AS k ON k.kind = '${KINDS.claim}' AND k.key = c.key) AS claimant
           JOIN ${qualified(schema, '_identities')} AS i ON i._id = claimant.identity
           CROSS JOIN LATERAL jsonb_each_text(i._anonymous_times) AS e
           JOIN ${tables.claims} AS c ON c.key = ${keyOfRecord('i._connection', 'e.key')}) AS stamped
     ORDER BY key, stamp COLLATE "C", _record_id COLLATE "C", _id`,
  );
  await batch.write(
    'looksUp',
    `WITH lost AS (
       DELETE FROM ${keys} AS k USING ${tables.claims} AS c
       WHERE k.kind = '${KINDS.anonymous}' AND k.key = c.key AND k.mask = ${OWNER}
         AND NOT EXISTS (SELECT FROM ${tables.owners} AS o WHERE o.key = k.key AND o.identity = k.identity)
       RETURNING k.*)
     INSERT INTO ${tables.altered} (identity, kind, key, mask, is_gained)
     SELECT identity, kind, key, mask, false FROM lost`,
  );
  await batch.fill(
    'altered',
    'looksUp',
    `WITH gained AS (
       INSERT INTO ${keys} (identity, kind, key, mask)
       SELECT identity, '${KINDS.anonymous}', key, ${OWNER} FROM ${tables.owners}
       ON CONFLICT (identity, kind, key) DO NOTHING
       RETURNING *)
     INSERT INTO ${tables.altered} (identity, kind, key, mask, is_gained)
     SELECT identity, kind, key, mask, true FROM gained`,
  );
};
