import { escapeLiteral } from 'pg';
import { type LinksWanted, MAX_LINKED } from '../../platform/profile-reads';
import { isPlain, KINDS, OWNER, recordIdOf, textOf } from '../resolving/identity-keys';
import { qualified } from '../sql/names';
import { MAX_PAGE_BYTES } from '../../reading/max-page-bytes';
import { pageSql } from './page-sql';
import { placeSql, type Sorting } from './places';

/** By rule; then by the priority of the identifier, or by the kind of the key; then by the key. */
const BY_RULE: Sorting = {
  ...{ expression: '(rule COLLATE "C")', sqlType: 'text', isDescending: false, isOptional: false },
  ids: [
    { expression: 'nth', sqlType: 'integer' },
    { expression: '(key COLLATE "C")', sqlType: 'text' },
  ],
};

const IS_OWNER = `kind = '${KINDS.anonymous}' AND mask = ${OWNER}`;

/** The key of a value of an identifier is of a kind that ends with the place of the identifier. */
const NTH = `CASE WHEN rule = 'd' THEN substr(kind, 2)::int WHEN kind = '${KINDS.known}' THEN 0 ELSE 1 END`;

/**
 * SQL of who is in a link of the profile, by rule, kind and key. Two of a bucket are joined when their masks have no bit in
 * common: its distinct masks are compared, not its members.
 */
const membersSql = (schema: string, profile: string): string => `
  WITH key AS MATERIALIZED (
    SELECT k.kind, k.key, k.mask, k.identity
    FROM (SELECT _id FROM ${qualified(schema, '_identities')}
          WHERE _profile_id = ${escapeLiteral(profile)}::uuid OFFSET 0) AS own
    JOIN ${qualified(schema, '_identity_keys')} AS k ON k.identity = own._id
    WHERE k.kind <> '${KINDS.claim}'),
  bucket AS MATERIALIZED (
    SELECT kind, key, mask, count(*) AS members FROM key
    WHERE kind <> '${KINDS.previous}' GROUP BY kind, key, mask)
  SELECT CASE WHEN k.kind IN ('${KINDS.known}', '${KINDS.anonymous}') THEN 'a' ELSE 'd' END AS rule,
         k.kind, k.key, k.identity
  FROM (SELECT * FROM key WHERE kind <> '${KINDS.previous}' AND NOT (${IS_OWNER})) AS k
  WHERE EXISTS (
    SELECT FROM (SELECT * FROM bucket WHERE NOT (${IS_OWNER})) AS other
    WHERE other.kind = k.kind AND other.key = k.key AND other.mask & k.mask = 0
      AND (other.mask <> k.mask OR other.members > 1))
  UNION ALL
  SELECT 'b', kind, key, identity FROM key
  WHERE kind = '${KINDS.anonymous}'
    AND (SELECT count(*) > 1 FROM bucket AS b WHERE b.kind = key.kind AND b.key = key.key)
  UNION
  SELECT 'c', '${KINDS.previous}', p.key, each
  FROM (SELECT * FROM key WHERE kind = '${KINDS.previous}') AS p
  JOIN (SELECT * FROM key
        WHERE kind IN ('${KINDS.known}', '${KINDS.anonymous}') AND NOT (${IS_OWNER})) AS named
    ON named.key = p.key AND named.identity <> p.identity
  CROSS JOIN LATERAL unnest(ARRAY[p.identity, named.identity]) AS each`;

/** SQL of the first identities of a link, each as a JSON array. */
const identitiesSql = (schema: string): string => `
  ARRAY(SELECT json_build_array(_connection, _pipeline, _record_id, _anonymous)::text
        FROM ${qualified(schema, '_identities')} WHERE _id = ANY (first) ORDER BY _id)`;

export const selectLinks = (
  schema: string,
  { profile, limit, after }: Omit<LinksWanted, 'identifiers'>,
): string =>
  pageSql({
    ...{ after, limit, maxBytes: MAX_PAGE_BYTES, sorting: BY_RULE, conditions: [] },
    table: `
      (SELECT rule, ${NTH} AS nth, key, count(*)::int AS members,
              (array_agg(identity ORDER BY identity))[:${String(MAX_LINKED)}] AS first
       FROM (${membersSql(schema, profile)}) AS member GROUP BY rule, kind, key) AS link`,
    shown: {
      ...{ rule: 'rule', nth: 'nth', members: 'members', values: identitiesSql(schema) },
      value: `CASE WHEN ${isPlain('key')} THEN CASE WHEN rule = 'd' THEN ${textOf('key')} ELSE ${recordIdOf('key')} END END`,
      place: placeSql(BY_RULE),
    },
  });
