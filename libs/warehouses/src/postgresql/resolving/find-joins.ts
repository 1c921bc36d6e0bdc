import { qualified } from '../sql/names';
import type { Batch } from './batch';
import { KINDS, OWNER } from './identity-keys';
import type { StageTables } from './stage-tables';

/**
 * Finds the profiles that may be split, as one of their identities is gone or has lost a key, and the identities that are
 * nodes by themselves: those of such profiles, and those without a profile.
 */
export const takeApart = async (batch: Batch): Promise<void> => {
  const { schema, tables } = batch;
  const identities = qualified(schema, '_identities');
  await batch.fill(
    'torn',
    'looksUp',
    `INSERT INTO ${tables.torn} (profile, is_reduced)
     SELECT profile, bool_or(is_gone)
     FROM (SELECT profile, is_gone FROM ${tables.taken} WHERE is_gone OR NOT had_keys
           UNION ALL
           SELECT i._profile_id, false
           FROM ${tables.altered} AS a JOIN ${identities} AS i ON i._id = a.identity
           WHERE NOT a.is_gained AND a.kind <> '${KINDS.claim}') AS each
     WHERE profile IS NOT NULL
     GROUP BY profile`,
  );
  await batch.fill(
    'loose',
    'looksUp',
    `INSERT INTO ${tables.loose} (identity, profile)
     SELECT i._id, t.profile FROM ${tables.torn} AS t JOIN ${identities} AS i ON i._profile_id = t.profile
     UNION ALL
     SELECT identity, NULL FROM ${tables.taken} WHERE NOT is_gone AND profile IS NULL`,
  );
};

/** SQL of the keys by which something may be joined that was not. */
const joining = (keys: string, { altered, loose }: StageTables): string => `
  (SELECT k.kind, k.key FROM ${loose} AS l JOIN ${keys} AS k ON k.identity = l.identity
   UNION ALL SELECT kind, key FROM ${altered} WHERE is_gained) AS each`;

/** Finds the buckets of those keys. @returns how many of them are of previous ids */
const touch = async (batch: Batch): Promise<number> => {
  const { schema, tables } = batch;
  const keys = qualified(schema, '_identity_keys');
  await batch.fill(
    'touched',
    await batch.wayTo('_identity_keys', 'loose'),
    `INSERT INTO ${tables.touched} (kind, key)
     SELECT DISTINCT kind, key COLLATE "C" FROM ${joining(keys, tables)}
     WHERE kind NOT IN ('${KINDS.claim}', '${KINDS.previous}')`,
  );
  const [previous] = await batch.rows<{ some: boolean }>(
    'looksUp',
    `SELECT EXISTS (SELECT FROM ${keys} WHERE kind = '${KINDS.previous}') AS some`,
  );
  if (previous?.some !== true) return 0;
  return batch.write(
    'looksUp',
    `INSERT INTO ${tables.touched} (kind, key)
     SELECT '${KINDS.previous}', t.key FROM ${tables.touched} AS t
     WHERE t.kind IN ('${KINDS.known}', '${KINDS.anonymous}')
       AND EXISTS (SELECT FROM ${keys} AS k WHERE k.kind = '${KINDS.previous}' AND k.key = t.key)
     UNION SELECT kind, key FROM ${joining(keys, tables)} WHERE kind = '${KINDS.previous}'`,
  );
};

/** Those who have a previous id, and those whom it names: each is joined with each of the other ones only. */
const namedByPrevious = (keys: string, touched: string): string => `
  SELECT t.kind, t.key, CASE WHEN k.kind = '${KINDS.previous}' THEN 1 ELSE 2 END, k.identity
  FROM ${touched} AS t
  JOIN ${keys} AS k ON k.key = t.key AND k.kind IN ('${Object.values(KINDS).join(`', '`)}')
  WHERE t.kind = '${KINDS.previous}' AND k.kind <> '${KINDS.claim}'
    AND NOT (k.kind = '${KINDS.anonymous}' AND k.mask = ${OWNER})`;

/** Finds who is in the touched buckets: a node for each loose identity, and for each profile that stays as a whole. */
export const findMembers = async (batch: Batch): Promise<void> => {
  const { schema, tables } = batch;
  const keys = qualified(schema, '_identity_keys');
  const hasPrevious = (await touch(batch)) > 0;
  await batch.fill(
    'shared',
    await batch.wayTo('_identity_keys', 'touched'),
    `INSERT INTO ${tables.shared} (kind, key, mask, identity)
     SELECT k.kind, k.key, k.mask, k.identity
     FROM (SELECT t.kind, t.key
           FROM ${tables.touched} AS t JOIN ${keys} AS k ON k.kind = t.kind AND k.key = t.key
           WHERE t.kind <> '${KINDS.previous}'
           GROUP BY t.kind, t.key HAVING count(*) > 1) AS b
     JOIN ${keys} AS k ON k.kind = b.kind AND k.key = b.key
     ${hasPrevious ? `UNION ALL ${namedByPrevious(keys, tables.touched)}` : ''}`,
  );
  await batch.fill(
    'members',
    await batch.wayTo('_identities', 'shared'),
    `INSERT INTO ${tables.members} (kind, key, mask, identity, profile, single)
     SELECT s.kind, s.key, s.mask, s.identity, i._profile_id, l.identity
     FROM ${tables.shared} AS s
     JOIN ${qualified(schema, '_identities')} AS i ON i._id = s.identity
     LEFT JOIN ${tables.loose} AS l ON l.identity = s.identity
     WHERE l.identity IS NOT NULL OR i._profile_id IS NOT NULL`,
  );
  await batch.fill(
    'wholes',
    'joins',
    `INSERT INTO ${tables.wholes} (profile, node)
     SELECT profile, -row_number() OVER ()
     FROM (SELECT DISTINCT profile FROM ${tables.members} WHERE single IS NULL) AS each`,
  );
};

/**
 * SQL of the members with their nodes.
 *
 * @param columns of them, besides the node.
 */
export const placed = ({ tables }: Batch, columns: string): string =>
  `SELECT ${columns}, coalesce(m.single, w.node) AS node
   FROM ${tables.members} AS m LEFT JOIN ${tables.wholes} AS w ON w.profile = m.profile`;

/**
 * Joins the nodes of each bucket whose masks have no bit in common, without pairs of every two: where somebody has no mask,
 * everybody is joined with one node; else those of one mask are, which has another one to be joined with.
 *
 * @returns how many pairs there are.
 */
export const joinMembers = (batch: Batch): Promise<number> =>
  batch.fill(
    'edges',
    'joins',
    `INSERT INTO ${batch.tables.edges} (one, other)
     WITH placed AS MATERIALIZED (
       SELECT DISTINCT * FROM (${placed(batch, 'm.kind, m.key, m.mask')}) AS each),
     bucket AS MATERIALIZED (
       SELECT kind, key, min(node) AS center, bool_or(mask = 0) AS is_whole
       FROM placed GROUP BY kind, key HAVING min(node) < max(node)),
     part AS MATERIALIZED (
       SELECT p.kind, p.key, p.mask, min(p.node) AS center
       FROM placed AS p JOIN bucket AS b USING (kind, key)
       WHERE NOT b.is_whole GROUP BY p.kind, p.key, p.mask),
     pair AS MATERIALIZED (
       SELECT p.kind, p.key, p.mask, p.center, q.center AS other
       FROM part AS p JOIN part AS q USING (kind, key) WHERE p.mask & q.mask = 0)
     SELECT DISTINCT least(one, other), greatest(one, other)
     FROM (SELECT p.node AS one, b.center AS other
           FROM placed AS p JOIN bucket AS b USING (kind, key) WHERE b.is_whole
           UNION ALL SELECT center, other FROM pair
           UNION ALL SELECT p.node, c.center
           FROM placed AS p JOIN (SELECT DISTINCT kind, key, mask, center FROM pair) AS c
             USING (kind, key, mask)) AS each
     WHERE one <> other`,
  );
