import { MOST_NAMED } from '../../resolving/limits';
import { qualified } from '../sql/names';

/** SQL of the oldest recorded facts. */
export const selectFacts = (schema: string, limit: number): string => `
  SELECT id::text AS number, (extract(epoch FROM at) * 1000)::float8 AS "atMs", fact
  FROM ${qualified(schema, '_outbox')} ORDER BY id LIMIT ${limit}`;

/** SQL of a list in a fact, not longer than that. */
const named = (list: string): string =>
  `CASE WHEN fact ? '${list}' THEN jsonb_build_object('${list}',
     jsonb_path_query_array(fact -> '${list}', '$[0 to ${MOST_NAMED - 1}]')) ELSE '{}' END`;

const elements = (list: string): string =>
  `jsonb_array_elements_text(coalesce(fact -> '${list}', '[]')) WITH ORDINALITY AS each (profile, place)`;

/**
 * A statement that takes the facts up to a number out of the outbox, into the history of each profile that they name: to
 * one that was absorbed or split off, a fact says nothing of the others. Of one that was erased only its deletion stays.
 *
 * @param upTo SQL of the number.
 */
export const keepFacts = (schema: string, upTo: string): string => `
  WITH published AS (
    DELETE FROM ${qualified(schema, '_outbox')} WHERE id <= ${upTo} RETURNING id, fact, at)
  INSERT INTO ${qualified(schema, '_profile_history')} (profile_id, id, at, fact)
  SELECT told.profile::uuid, id, at, told.fact
  FROM published CROSS JOIN LATERAL (
    SELECT coalesce(fact ->> 'survivor', fact ->> 'kept', fact ->> 'id') AS profile,
           fact || ${named('absorbed')} || ${named('created')} AS fact
    UNION ALL
    SELECT profile, fact || jsonb_build_object('absorbed', jsonb_build_array(profile),
             'joinedBy', jsonb_path_query_array(fact -> 'joinedBy', '$[$place]',
                             jsonb_build_object('place', place - 1)))
    FROM ${elements('absorbed')}
    UNION ALL
    SELECT profile, fact || jsonb_build_object('created', jsonb_build_array(profile))
    FROM ${elements('created')}) AS told
  WHERE told.fact ->> 'type' = 'ProfileDeleted' OR NOT EXISTS (
    SELECT FROM ${qualified(schema, '_erased_profiles')} AS e WHERE e.profile_id = told.profile::uuid)`;
