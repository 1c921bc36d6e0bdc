import { escapeLiteral } from 'pg';
import { ruleOf } from '../../resolving/keys';
import { MOST_NAMED } from '../../resolving/limits';
import { qualified } from '../sql/names';
import type { Batch } from './batch';
import { placed } from './find-joins';
import { labelled } from './give-ids';

const record = (batch: Batch, facts: string): Promise<number> =>
  batch.write(
    'joins',
    `INSERT INTO ${qualified(batch.schema, '_outbox')} (profile_id, fact) ${facts}`,
  );

/** @returns how many profiles were made */
const recordCreated = (batch: Batch): Promise<number> =>
  record(
    batch,
    `SELECT g.profile, jsonb_build_object('type', 'ProfileCreated', 'id', g.profile,
            'identities', jsonb_agg(m.identity::text ORDER BY m.identity) FILTER (WHERE m.place <= ${MOST_NAMED}))
     FROM ${batch.tables.groups} AS g
     JOIN (SELECT identity, label, row_number() OVER (PARTITION BY label ORDER BY identity) AS place
           FROM (${labelled(batch, 'l.identity')}) AS each) AS m USING (label)
     WHERE g.is_new AND NOT g.was_split
     GROUP BY g.label, g.profile ORDER BY g.label`,
  );

/** Of each torn profile in whose place there are several. */
const recordSplits = (batch: Batch): Promise<number> => {
  const { tables } = batch;
  return record(
    batch,
    `SELECT s.profile, jsonb_build_object('type', 'ProfileSplit', 'kept', s.profile,
            'created', jsonb_agg(g.profile ORDER BY g.profile),
            'reason', CASE WHEN t.is_reduced THEN 'removed' ELSE 'changed' END)
     FROM (SELECT DISTINCT label, profile FROM (${labelled(batch, 'l.profile')}) AS each
           WHERE profile IS NOT NULL) AS s
     JOIN ${tables.candidates} AS c ON c.profile = s.profile AND c.label <> s.label
     JOIN ${tables.groups} AS g ON g.label = s.label
     JOIN ${tables.torn} AS t ON t.profile = s.profile
     GROUP BY s.profile, t.is_reduced ORDER BY s.profile`,
  );
};

/**
 * SQL of what has joined each absorbed profile with an identity that was not in it. Of the identities of a profile in a
 * bucket the first is looked at, and of the others two, as one of them is not of the same profile.
 */
const joinsOf = (batch: Batch): string => {
  const { rules, tables } = batch;
  const { rule, identifier } = ruleOf(
    rules.identifiers.map(({ path }) => path),
    escapeLiteral,
  );
  return `
    WITH placed AS MATERIALIZED (
      SELECT p.kind, p.key, p.mask, p.profile, g.label, min(p.identity) AS identity
      FROM (${placed(batch, 'm.kind, m.key, m.mask, m.profile, m.identity')}) AS p
      JOIN ${tables.labels} AS g USING (node)
      GROUP BY p.kind, p.key, p.mask, p.profile, g.label),
    others AS MATERIALIZED (
      SELECT * FROM (
        SELECT *, dense_rank() OVER (PARTITION BY kind, key, mask ORDER BY profile NULLS FIRST) AS place
        FROM placed) AS each
      WHERE place <= 2),
    named AS MATERIALIZED (
      SELECT * FROM (
        SELECT *, row_number() OVER (PARTITION BY survivor ORDER BY profile) AS place
        FROM ${tables.absorbed}) AS each
      WHERE place <= ${MOST_NAMED})
    SELECT DISTINCT ON (n.profile) n.profile, jsonb_build_object(
      'rule', ${rule}, 'identifier', ${identifier},
      'identities', jsonb_build_array(m.identity::text, o.identity::text)) AS joined
    FROM named AS n
    JOIN placed AS m ON m.profile = n.profile AND m.label = n.label
    JOIN others AS o ON o.kind = m.kind AND o.key = m.key AND o.mask & m.mask = 0
      AND o.profile IS DISTINCT FROM n.profile
    ORDER BY n.profile, ${rule}, m.kind, m.identity, o.identity`;
};

const recordMerges = (batch: Batch): Promise<number> =>
  record(
    batch,
    `SELECT a.survivor, jsonb_build_object('type', 'ProfilesMerged', 'survivor', a.survivor,
            'absorbed', jsonb_agg(a.profile ORDER BY a.profile),
            'joinedBy', coalesce(jsonb_agg(j.joined ORDER BY a.profile) FILTER (WHERE j.joined IS NOT NULL), '[]'))
     FROM ${batch.tables.absorbed} AS a LEFT JOIN (${joinsOf(batch)}) AS j USING (profile)
     GROUP BY a.survivor ORDER BY a.survivor`,
  );

/** Deletes profiles that were absorbed, and those that have no identity any more. @returns how many the latter are */
const recordDeleted = async (batch: Batch): Promise<number> => {
  const { schema, tables } = batch;
  const profiles = qualified(schema, '_profiles');
  await batch.write(
    'looksUp',
    `DELETE FROM ${profiles} AS p USING ${tables.absorbed} AS a WHERE p._profile_id = a.profile`,
  );
  const gone = `
    FROM ${tables.torn} AS t WHERE NOT EXISTS (
      SELECT FROM ${qualified(schema, '_identities')} AS i WHERE i._profile_id = t.profile)
      AND NOT EXISTS (SELECT FROM ${tables.absorbed} AS a WHERE a.profile = t.profile)`;
  await batch.write(
    'looksUp',
    `DELETE FROM ${qualified(schema, '_profile_aliases')} WHERE profile_id IN (SELECT t.profile ${gone})`,
  );
  return batch.write(
    'looksUp',
    `WITH gone AS (
       DELETE FROM ${profiles} WHERE _profile_id IN (SELECT t.profile ${gone}) RETURNING _profile_id)
     INSERT INTO ${qualified(schema, '_outbox')} (profile_id, fact)
     SELECT _profile_id, jsonb_build_object('type', 'ProfileDeleted', 'id', _profile_id, 'reason', 'removed')
     FROM gone ORDER BY _profile_id`,
  );
};

/** What has become of profiles. */
export interface Counted {
  readonly created: number;
  readonly merged: number;
  readonly split: number;
  readonly deleted: number;
}

/** Records what has become of profiles, in an order in which no fact names a profile that is not there yet. */
export const recordFacts = async (batch: Batch): Promise<Counted> => {
  const { absorbed, groups } = batch.tables;
  const [counts] = await batch.rows<{ merged: number; split: number }>(
    'joins',
    `SELECT (SELECT count(*) FROM ${absorbed})::int AS merged,
            (SELECT count(*) FROM ${groups} WHERE is_new AND was_split)::int AS split`,
  );
  const created = await recordCreated(batch);
  await recordSplits(batch);
  await recordMerges(batch);
  const deleted = await recordDeleted(batch);
  return { created, merged: counts?.merged ?? 0, split: counts?.split ?? 0, deleted };
};
