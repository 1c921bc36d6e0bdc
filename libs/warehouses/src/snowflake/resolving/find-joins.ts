import { KINDS, OWNER } from '../../resolving/keys';
import { qualified } from '../sql/names';
import type { Batch } from './batch';

/**
 * Finds the profiles that may be split, as one of their identities is gone or has lost a key, and the identities that are
 * nodes by themselves: those of such profiles, and those without a profile.
 */
export const takeApart = async (batch: Batch): Promise<void> => {
  const { altered, taken, torn } = batch.tables;
  const identities = qualified(batch.place, '_IDENTITIES');
  await batch.fill(
    'torn',
    `SELECT PROFILE, MAX(IFF(IS_GONE, 1, 0)) = 1
     FROM (SELECT PROFILE, IS_GONE FROM ${taken} WHERE IS_GONE OR NOT HAD_KEYS
           UNION ALL
           SELECT i."_PROFILE_ID", FALSE
           FROM ${altered} AS a JOIN ${identities} AS i ON i."_ID" = a.IDENTITY
           WHERE NOT a.IS_GAINED AND a.KIND <> '${KINDS.claim}') AS apart
     WHERE PROFILE IS NOT NULL GROUP BY PROFILE`,
  );
  await batch.fill(
    'loose',
    `SELECT i."_ID", t.PROFILE
     FROM ${torn} AS t JOIN ${identities} AS i ON i."_PROFILE_ID" = t.PROFILE
     UNION ALL
     SELECT IDENTITY, NULL FROM ${taken} WHERE NOT IS_GONE AND PROFILE IS NULL`,
  );
};

/** SQL of the rows of the buckets by which something may be joined that was not, of those that have more than one. */
const selectShared = ({ place, tables: { altered, loose } }: Batch): string => {
  const keys = qualified(place, '_IDENTITY_KEYS');
  const { anonymous, claim, known, previous } = KINDS;
  return `
    WITH joining AS (
      SELECT k."KIND" AS KIND, k."KEY" AS KEY FROM ${loose} AS l JOIN ${keys} AS k ON k."IDENTITY" = l.IDENTITY
      UNION SELECT KIND, KEY FROM ${altered} WHERE IS_GAINED),
    naming AS (
      SELECT DISTINCT j.KEY FROM joining AS j JOIN ${keys} AS k ON k."KEY" = j.KEY AND k."KIND" = '${previous}'
      WHERE j.KIND IN ('${known}', '${anonymous}', '${previous}')),
    bucket AS (
      SELECT k."KIND" AS KIND, k."KEY" AS KEY, k."MASK" AS MASK, k."IDENTITY" AS IDENTITY
      FROM joining AS j JOIN ${keys} AS k ON k."KIND" = j.KIND AND k."KEY" = j.KEY
      WHERE j.KIND NOT IN ('${claim}', '${previous}')
      QUALIFY COUNT(*) OVER (PARTITION BY k."KIND", k."KEY") > 1),
    shared AS (
      SELECT KIND, KEY, MASK, IDENTITY FROM bucket
      UNION ALL
      SELECT '${previous}', k."KEY", IFF(k."KIND" = '${previous}', 1, 2), k."IDENTITY"
      FROM naming AS n JOIN ${keys} AS k ON k."KEY" = n.KEY
      WHERE k."KIND" IN ('${known}', '${anonymous}', '${previous}')
        AND NOT (k."KIND" = '${anonymous}' AND k."MASK" = ${String(OWNER)}))`;
};

/**
 * Finds who is in the touched buckets: a node for each loose identity, and for each profile that stays as a whole. Those who
 * have a previous id are joined with each of those whom it names, and not with each other.
 */
export const findMembers = async (batch: Batch): Promise<void> => {
  await batch.fill(
    'members',
    `${selectShared(batch)}
     SELECT s.IDENTITY, s.KIND, s.KEY, s.MASK, i."_PROFILE_ID",
            COALESCE(l.IDENTITY, -DENSE_RANK() OVER (ORDER BY i."_PROFILE_ID"))
     FROM shared AS s JOIN ${qualified(batch.place, '_IDENTITIES')} AS i ON i."_ID" = s.IDENTITY
     LEFT JOIN ${batch.tables.loose} AS l ON l.IDENTITY = s.IDENTITY
     WHERE l.IDENTITY IS NOT NULL OR i."_PROFILE_ID" IS NOT NULL`,
  );
};

/** Joins nodes by the columns of their buckets. */
const inBucket = (one: string, other: string): string =>
  `${one}.KIND = ${other}.KIND AND ${one}.KEY = ${other}.KEY`;

/**
 * Joins the nodes of each bucket whose masks have no bit in common, without pairs of every two: where somebody has no mask,
 * everybody is joined with one node; else those of one mask are, which has another one to be joined with.
 *
 * @returns how many pairs there are.
 */
export const joinMembers = (batch: Batch): Promise<number> =>
  batch.fill(
    'edges',
    `WITH placed AS (SELECT DISTINCT KIND, KEY, MASK, NODE FROM ${batch.tables.members}),
     bucket AS (
       SELECT KIND, KEY, MIN(NODE) AS CENTER, MIN(MASK) = 0 AS IS_WHOLE
       FROM placed GROUP BY KIND, KEY HAVING MIN(NODE) < MAX(NODE)),
     part AS (
       SELECT p.KIND, p.KEY, p.MASK, MIN(p.NODE) AS CENTER
       FROM placed AS p JOIN bucket AS b ON ${inBucket('p', 'b')}
       WHERE NOT b.IS_WHOLE GROUP BY p.KIND, p.KEY, p.MASK),
     pair AS (
       SELECT p.KIND, p.KEY, p.MASK, p.CENTER, q.CENTER AS OTHER
       FROM part AS p JOIN part AS q ON ${inBucket('p', 'q')} WHERE BITAND(p.MASK, q.MASK) = 0)
     SELECT DISTINCT LEAST(ONE, OTHER), GREATEST(ONE, OTHER)
     FROM (SELECT p.NODE AS ONE, b.CENTER AS OTHER
           FROM placed AS p JOIN bucket AS b ON ${inBucket('p', 'b')} WHERE b.IS_WHOLE
           UNION ALL SELECT CENTER, OTHER FROM pair
           UNION ALL SELECT p.NODE, c.CENTER
           FROM placed AS p JOIN (SELECT DISTINCT KIND, KEY, MASK, CENTER FROM pair) AS c
             ON ${inBucket('p', 'c')} AND p.MASK = c.MASK) AS joined
     WHERE ONE <> OTHER`,
  );
