import { qualified } from '../sql/names';
import type { Batch } from './batch';

/** SQL of the loose identities with their groups. @param columns of them, besides the group. */
export const labelled = ({ tables }: Batch, columns: string): string =>
  `SELECT ${columns}, COALESCE(g.LABEL, l.IDENTITY) AS LABEL
   FROM ${tables.loose} AS l LEFT JOIN ${tables.labels} AS g ON g.NODE = l.IDENTITY`;

/** SQL of the profiles that another one absorbs. */
export const absorbed = ({ tables }: Batch): string =>
  `(SELECT c.PROFILE, g.PROFILE AS SURVIVOR, c.LABEL
    FROM ${tables.candidates} AS c JOIN ${tables.groups} AS g ON g.LABEL = c.LABEL
    WHERE c.PROFILE <> g.PROFILE)`;

/** Of a torn profile, the group with its oldest identity may have the id; a profile that is whole takes its own along. */
const findCandidates = (batch: Batch): Promise<number> => {
  const { labels, members } = batch.tables;
  return batch.fill(
    'candidates',
    `SELECT c.LABEL, c.PROFILE, p."_CREATED_AT"
     FROM (SELECT DISTINCT g.LABEL, m.PROFILE FROM ${members} AS m JOIN ${labels} AS g ON g.NODE = m.NODE
           WHERE m.NODE < 0
           UNION ALL
           SELECT LABEL, PROFILE FROM (${labelled(batch, 'l.IDENTITY, l.PROFILE')}) AS own
           WHERE PROFILE IS NOT NULL
           QUALIFY ROW_NUMBER() OVER (PARTITION BY PROFILE ORDER BY IDENTITY) = 1) AS c
     LEFT JOIN ${qualified(batch.place, '_PROFILES')} AS p ON p."_PROFILE_ID" = c.PROFILE`,
  );
};

/**
 * Gives each group its profile: of those whose ids it may have, the one that was created first; without any, a new one.
 * The others are absorbed.
 */
export const giveIds = async (batch: Batch): Promise<void> => {
  await findCandidates(batch);
  await batch.fill(
    'groups',
    `SELECT COALESCE(l.LABEL, c.LABEL), COALESCE(c.PROFILE, UUID_STRING()), c.PROFILE IS NULL,
            COALESCE(l.HAVING_ONE, 0) = 1
     FROM (SELECT LABEL, MAX(IFF(PROFILE IS NULL, 0, 1)) AS HAVING_ONE
           FROM (${labelled(batch, 'l.PROFILE')}) AS own GROUP BY LABEL) AS l
     FULL JOIN (SELECT LABEL, PROFILE FROM ${batch.tables.candidates}
                QUALIFY ROW_NUMBER() OVER (PARTITION BY LABEL ORDER BY CREATED_AT NULLS LAST, PROFILE) = 1) AS c
       ON c.LABEL = l.LABEL`,
  );
};

/** Writes the profiles of identities that get others. */
export const moveIdentities = async (batch: Batch): Promise<void> => {
  const { groups, loose, moved } = batch.tables;
  const identities = qualified(batch.place, '_IDENTITIES');
  await batch.fill(
    'moved',
    `SELECT l.IDENTITY, g.PROFILE
     FROM (${labelled(batch, 'l.IDENTITY, l.PROFILE AS FORMER')}) AS l JOIN ${groups} AS g ON g.LABEL = l.LABEL
     WHERE l.FORMER IS NULL OR l.FORMER <> g.PROFILE
     UNION ALL
     SELECT i."_ID", a.SURVIVOR
     FROM ${absorbed(batch)} AS a JOIN ${identities} AS i ON i."_PROFILE_ID" = a.PROFILE
     LEFT JOIN ${loose} AS l ON l.IDENTITY = i."_ID" WHERE l.IDENTITY IS NULL`,
  );
  await batch.write(
    `UPDATE ${identities} AS i SET "_PROFILE_ID" = m.PROFILE FROM ${moved} AS m WHERE m.IDENTITY = i."_ID"`,
  );
};

/**
 * Ids that were absorbed name the survivor from then on, with those that they have absorbed before; those of a profile that is
 * gone go with it.
 */
export const writeAliases = async (batch: Batch): Promise<void> => {
  const aliases = qualified(batch.place, '_PROFILE_ALIASES');
  const { changed } = batch.tables;
  await batch.write(
    `MERGE INTO ${aliases} AS l
     USING (SELECT ALIAS, MAX(SURVIVOR) AS SURVIVOR
            FROM (SELECT l."ALIAS" AS ALIAS, c.SURVIVOR
                  FROM ${aliases} AS l JOIN ${changed} AS c ON c.PROFILE = l."PROFILE_ID" WHERE c.SIZE = 0
                  UNION ALL SELECT PROFILE, SURVIVOR FROM ${changed} WHERE SURVIVOR IS NOT NULL) AS named
            GROUP BY ALIAS) AS n
     ON l."ALIAS" = n.ALIAS
     WHEN MATCHED AND n.SURVIVOR IS NULL THEN DELETE
     WHEN MATCHED THEN UPDATE SET "PROFILE_ID" = n.SURVIVOR
     WHEN NOT MATCHED AND n.SURVIVOR IS NOT NULL THEN INSERT ("ALIAS", "PROFILE_ID") VALUES (n.ALIAS, n.SURVIVOR)`,
  );
};
