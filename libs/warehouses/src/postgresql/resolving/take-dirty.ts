import { escapeLiteral } from 'pg';
import { qualified } from '../sql/names';
import type { Batch } from './batch';

/** SQL of whether something was marked up to this time. */
const isMarked = (until: string): string => `since <= ${escapeLiteral(until)}::timestamptz`;

/**
 * Takes the identities that were changed first, and with them those that were changed of the same profiles, so that no
 * profile is taken apart by halves. Those without keys were taken apart before.
 *
 * @param until the time of the newest marks that are taken, but for those of the same profiles.
 * @returns how many they are.
 */
export const takeDirty = async (batch: Batch, limit: number, until: string): Promise<number> => {
  const { schema, tables } = batch;
  const [dirty, identities] = [qualified(schema, '_dirty'), qualified(schema, '_identities')];
  const hadKeys = (identity: string): string =>
    `EXISTS (SELECT FROM ${qualified(schema, '_identity_keys')} AS k WHERE k.identity = ${identity})`;
  const oldest = await batch.fill(
    'taken',
    'looksUp',
    `INSERT INTO ${tables.taken} (identity, is_gone, had_keys, profile)
     SELECT d.identity, i._id IS NULL, ${hadKeys('d.identity')},
            CASE WHEN i._id IS NULL THEN coalesce(a.profile_id, d.profile_id) ELSE i._profile_id END
     FROM (SELECT identity, profile_id FROM ${dirty} WHERE ${isMarked(until)}
           ORDER BY since, identity LIMIT ${limit}) AS d
     LEFT JOIN ${identities} AS i ON i._id = d.identity
     LEFT JOIN ${qualified(schema, '_profile_aliases')} AS a ON a.alias = d.profile_id`,
  );
  const others = await batch.fill(
    'taken',
    'looksUp',
    `INSERT INTO ${tables.taken} (identity, is_gone, had_keys, profile)
     SELECT i._id, false, ${hadKeys('i._id')}, i._profile_id
     FROM (SELECT DISTINCT profile FROM ${tables.taken} WHERE profile IS NOT NULL) AS p
     JOIN ${identities} AS i ON i._profile_id = p.profile
     JOIN ${dirty} AS d ON d.identity = i._id
     ON CONFLICT (identity) DO NOTHING`,
  );
  return oldest + others;
};

/** Removes the marks of what was taken: nobody has added one meanwhile. */
export const removeMarks = async (batch: Batch): Promise<void> => {
  await batch.write(
    'looksUp',
    `DELETE FROM ${qualified(batch.schema, '_dirty')} AS d USING ${batch.tables.taken} AS t
     WHERE d.identity = t.identity`,
  );
};

/** Whether no identity was marked up to this time, and no event is to get another profile. */
export const isNothingLeft = async (batch: Batch, until: string): Promise<boolean> => {
  const some = (name: string, where = 'true'): string =>
    `EXISTS (SELECT FROM ${qualified(batch.schema, name)} WHERE ${where})`;
  const [left] = await batch.rows<{ some: boolean }>(
    'joins',
    `SELECT ${some('_dirty', isMarked(until))} OR ${some('_moving')} AS some`,
  );
  return left?.some !== true;
};
