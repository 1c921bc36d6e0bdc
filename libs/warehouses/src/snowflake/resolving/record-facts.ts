import { snowflakeText } from '@penstock/databases';
import { ruleOf } from '../../resolving/keys';
import { MOST_NAMED } from '../../resolving/limits';
import type { ResolvedBatch } from '../../platform/resolver';
import { qualified } from '../sql/names';
import type { Batch } from './batch';
import { absorbed, labelled } from './give-ids';

const record = async (batch: Batch, facts: string): Promise<void> => {
  await batch.write(
    `INSERT INTO ${qualified(batch.place, '_OUTBOX')} ("PROFILE_ID", "FACT", "AT")
     SELECT PROFILE, TO_VARIANT(FACT), CURRENT_TIMESTAMP() FROM (${facts}) AS recorded ORDER BY PROFILE`,
  );
};

const selectCreated = (batch: Batch): string => `
  SELECT g.PROFILE, OBJECT_CONSTRUCT('type', 'ProfileCreated', 'id', g.PROFILE, 'identities', m.IDENTITIES) AS FACT
  FROM ${batch.tables.groups} AS g
  JOIN (SELECT LABEL, ARRAY_AGG(CAST(IDENTITY AS VARCHAR)) WITHIN GROUP (ORDER BY IDENTITY) AS IDENTITIES
        FROM (SELECT IDENTITY, LABEL FROM (${labelled(batch, 'l.IDENTITY')}) AS own
              QUALIFY ROW_NUMBER() OVER (PARTITION BY LABEL ORDER BY IDENTITY) <= ${String(MOST_NAMED)}) AS first
        GROUP BY LABEL) AS m ON m.LABEL = g.LABEL
  WHERE g.IS_NEW AND NOT g.WAS_SPLIT`;

/** Of each torn profile in whose place there are several. */
const selectSplits = (batch: Batch): string => {
  const { candidates, groups, torn } = batch.tables;
  return `
    SELECT s.PROFILE, OBJECT_CONSTRUCT('type', 'ProfileSplit', 'kept', s.PROFILE, 'created', s.CREATED,
           'reason', IFF(t.IS_REDUCED, 'removed', 'changed')) AS FACT
    FROM (SELECT l.PROFILE, ARRAY_AGG(g.PROFILE) WITHIN GROUP (ORDER BY g.PROFILE) AS CREATED
          FROM (SELECT DISTINCT LABEL, PROFILE FROM (${labelled(batch, 'l.PROFILE')}) AS own
                WHERE PROFILE IS NOT NULL) AS l
          JOIN ${candidates} AS c ON c.PROFILE = l.PROFILE AND c.LABEL <> l.LABEL
          JOIN ${groups} AS g ON g.LABEL = l.LABEL GROUP BY l.PROFILE) AS s
    JOIN ${torn} AS t ON t.PROFILE = s.PROFILE`;
};

/**
 * SQL of what has joined each absorbed profile with an identity that was not in it. Of the identities of a profile in a
 * bucket the first is looked at, and of the others two, as one of them is not of the same profile.
 */
const selectJoins = (batch: Batch): string => {
  const { labels, members } = batch.tables;
  const paths = batch.rules.identifiers.map(({ path }) => path);
  const { rule, identifier } = ruleOf(paths, snowflakeText);
  return `
    WITH placed AS (
      SELECT p.KIND, p.KEY, p.MASK, p.PROFILE, g.LABEL, MIN(p.IDENTITY) AS IDENTITY
      FROM ${members} AS p JOIN ${labels} AS g ON g.NODE = p.NODE
      GROUP BY p.KIND, p.KEY, p.MASK, p.PROFILE, g.LABEL),
    others AS (
      SELECT * FROM placed
      QUALIFY DENSE_RANK() OVER (PARTITION BY KIND, KEY, MASK ORDER BY PROFILE NULLS FIRST) <= 2),
    named AS (
      SELECT * FROM ${absorbed(batch)} AS a
      QUALIFY ROW_NUMBER() OVER (PARTITION BY SURVIVOR ORDER BY PROFILE) <= ${String(MOST_NAMED)})
    SELECT n.PROFILE, n.SURVIVOR, ${rule} AS RULE, ${identifier} AS NAMED_BY,
           CAST(m.IDENTITY AS VARCHAR) AS ONE, CAST(o.IDENTITY AS VARCHAR) AS OTHER
    FROM named AS n
    JOIN placed AS m ON m.PROFILE = n.PROFILE AND m.LABEL = n.LABEL
    JOIN others AS o ON o.KIND = m.KIND AND o.KEY = m.KEY AND BITAND(o.MASK, m.MASK) = 0
      AND o.PROFILE IS DISTINCT FROM n.PROFILE
    QUALIFY ROW_NUMBER() OVER (PARTITION BY n.PROFILE ORDER BY ${rule}, m.KIND, m.IDENTITY, o.IDENTITY) = 1`;
};

const selectMerges = (batch: Batch): string => `
  SELECT a.SURVIVOR AS PROFILE, OBJECT_CONSTRUCT('type', 'ProfilesMerged', 'survivor', a.SURVIVOR,
         'absorbed', a.ABSORBED, 'joinedBy', COALESCE(j.JOINED, ARRAY_CONSTRUCT())) AS FACT
  FROM (SELECT SURVIVOR, ARRAY_AGG(PROFILE) WITHIN GROUP (ORDER BY PROFILE) AS ABSORBED
        FROM ${absorbed(batch)} AS each_one GROUP BY SURVIVOR) AS a
  LEFT JOIN (SELECT SURVIVOR, ARRAY_AGG(OBJECT_CONSTRUCT_KEEP_NULL('rule', RULE, 'identifier', NAMED_BY,
                    'identities', ARRAY_CONSTRUCT(ONE, OTHER))) WITHIN GROUP (ORDER BY PROFILE) AS JOINED
             FROM (${selectJoins(batch)}) AS joins GROUP BY SURVIVOR) AS j ON j.SURVIVOR = a.SURVIVOR`;

/** SQL of the profiles that have no identity any more, and that nobody has absorbed. */
const gone = ({ place, tables: { changed } }: Batch): string => `
  FROM ${changed} AS c JOIN ${qualified(place, '_PROFILES')} AS p ON p."_PROFILE_ID" = c.PROFILE
  WHERE c.SIZE = 0 AND c.SURVIVOR IS NULL`;

const selectDeleted = (batch: Batch): string => `
  SELECT c.PROFILE, OBJECT_CONSTRUCT('type', 'ProfileDeleted', 'id', c.PROFILE, 'reason', 'removed') AS FACT ${gone(batch)}`;

/** What has become of profiles. */
export type Counted = Omit<ResolvedBatch, 'identities' | 'isLast'>;

/**
 * Records what has become of profiles, before those that are gone are deleted, in an order in which no fact names a profile that is
 * not there yet: rows of one statement have no order that could be relied on.
 */
export const recordFacts = async (batch: Batch): Promise<Counted> => {
  const { groups, torn } = batch.tables;
  const count = (from: string): string => `(SELECT COUNT(*) ${from})`;
  const [created = 0, split = 0, apart = 0, merged = 0, deleted = 0] = await batch.numbers(
    `SELECT ${[
      `FROM ${groups} WHERE IS_NEW AND NOT WAS_SPLIT`,
      `FROM ${groups} WHERE IS_NEW AND WAS_SPLIT`,
      `FROM ${torn}`,
      `FROM ${absorbed(batch)} AS a`,
      gone(batch),
    ]
      .map(count)
      .join(', ')}`,
  );
  if (created > 0) await record(batch, selectCreated(batch));
  if (apart > 0) await record(batch, selectSplits(batch));
  if (merged > 0) await record(batch, selectMerges(batch));
  if (deleted > 0) await record(batch, selectDeleted(batch));
  return { created, merged, split, deleted };
};
