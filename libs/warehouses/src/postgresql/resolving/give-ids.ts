import { qualified } from '../sql/names';
import type { Batch } from './batch';
import { noteChanged } from './note-moved';
import type { StageTable } from './stage-tables';

/** The group of a loose identity. */
const LABEL = 'coalesce(g.label, l.identity)';

/** SQL of the loose identities with their groups. @param columns of them, besides the group. */
export const labelled = ({ tables }: Batch, columns: string): string =>
  `SELECT ${columns}, ${LABEL} AS label
   FROM ${tables.loose} AS l LEFT JOIN ${tables.labels} AS g ON g.node = l.identity`;

/** Of a torn profile, the group with its oldest identity may have the id; a profile that is whole takes its own along. */
const findCandidates = (batch: Batch): Promise<number> => {
  const { schema, tables } = batch;
  return batch.fill(
    'candidates',
    'looksUp',
    `INSERT INTO ${tables.candidates} (label, profile, created_at)
     SELECT c.label, c.profile, p._created_at
     FROM (SELECT g.label, w.profile FROM ${tables.wholes} AS w JOIN ${tables.labels} AS g ON g.node = w.node
           UNION ALL
           SELECT label, profile
           FROM (SELECT DISTINCT ON (profile) * FROM (${labelled(batch, 'l.identity, l.profile')}) AS each
                 WHERE profile IS NOT NULL ORDER BY profile, identity) AS oldest) AS c
     LEFT JOIN ${qualified(schema, '_profiles')} AS p ON p._profile_id = c.profile`,
  );
};

/**
 * Gives each group its profile: of those whose ids it may have, the one that was created first; without any, a new one.
 * The others are absorbed.
 */
export const giveIds = async (batch: Batch): Promise<void> => {
  const { tables } = batch;
  await findCandidates(batch);
  await batch.fill(
    'groups',
    'joins',
    `INSERT INTO ${tables.groups} (label, profile, is_new, was_split)
     SELECT label, coalesce(c.profile, gen_random_uuid()), c.profile IS NULL, coalesce(l.was_split, false)
     FROM (SELECT label, bool_or(profile IS NOT NULL) AS was_split
           FROM (${labelled(batch, 'l.profile')}) AS each GROUP BY label) AS l
     FULL JOIN (SELECT DISTINCT ON (label) label, profile FROM ${tables.candidates}
                ORDER BY label, created_at, profile) AS c USING (label)`,
  );
  await batch.fill(
    'absorbed',
    'joins',
    `INSERT INTO ${tables.absorbed} (profile, survivor, label)
     SELECT c.profile, g.profile, g.label
     FROM ${tables.candidates} AS c JOIN ${tables.groups} AS g USING (label)
     WHERE c.profile <> g.profile`,
  );
};

/** Writes the profiles of identities, and notes which have others. */
export const moveIdentities = async (batch: Batch): Promise<void> => {
  const { schema, tables } = batch;
  const identities = qualified(schema, '_identities');
  const move = async (by: StageTable, update: string): Promise<number> =>
    batch.write(await batch.wayTo('_identities', by), noteChanged(schema, update));
  await move(
    'loose',
    `UPDATE ${identities} AS i SET _profile_id = r.profile
     FROM (${labelled(batch, 'l.identity')}) AS l JOIN ${tables.groups} AS r USING (label)
     WHERE i._id = l.identity AND i._profile_id IS DISTINCT FROM r.profile`,
  );
  await move(
    'absorbed',
    `UPDATE ${identities} AS i SET _profile_id = a.survivor FROM ${tables.absorbed} AS a
     WHERE i._profile_id = a.profile`,
  );
};

/** Ids that were absorbed name the survivor from then on, with those that they have absorbed before. */
export const writeAliases = async (batch: Batch): Promise<void> => {
  const { schema, tables } = batch;
  const aliases = qualified(schema, '_profile_aliases');
  await batch.write(
    'looksUp',
    `UPDATE ${aliases} AS l SET profile_id = a.survivor FROM ${tables.absorbed} AS a
     WHERE l.profile_id = a.profile`,
  );
  await batch.write(
    'looksUp',
    `INSERT INTO ${aliases} (alias, profile_id) SELECT profile, survivor FROM ${tables.absorbed}
     ON CONFLICT (alias) DO UPDATE SET profile_id = excluded.profile_id`,
  );
};
