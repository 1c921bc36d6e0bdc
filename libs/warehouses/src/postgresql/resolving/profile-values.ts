import { escapeIdentifier, escapeLiteral } from 'pg';
import { OTHERS } from '../merging/merge-identities';
import { qualified } from '../sql/names';
import type { Batch } from './batch';
import type { ResolvedColumn } from './rules';

/** SQL of the time and tie-breaker of a property: its bytes are in their order. */
const stampOf = (name: string): string =>
  `coalesce(i._property_times->>${escapeLiteral(name)}, i._property_times->>'${OTHERS}', '')`;

/** Between identities whose property has the same time; the last two are for those of several pipelines. */
const TIES = ['_connection', '_record_id', '_pipeline']
  .map((name) => `i.${name} COLLATE "C"`)
  .concat('i._anonymous')
  .join(', ');

/** SQL of the newest value of the identities of a profile; one of the primary source goes before the others. */
const newestOf = ({ name, primarySource }: ResolvedColumn): string => {
  const column = `i.${escapeIdentifier(name)}`;
  const isPrimary =
    primarySource === undefined ? '' : `i._connection = ${escapeLiteral(primarySource)} DESC, `;
  return `(array_agg(${column} ORDER BY ${isPrimary}${stampOf(name)} COLLATE "C" DESC, ${TIES})
           FILTER (WHERE ${column} IS NOT NULL))[1]`;
};

/** SQL of the only value of the identities of a profile that has one identity. */
const onlyOf = ({ name }: ResolvedColumn): string => `i.${escapeIdentifier(name)}`;

/** SQL of the distinct elements that any identity of the profile `c.profile` has, ascending. */
const elementsOf = (identities: string, { name, sqlType, type }: ResolvedColumn): string => {
  const column = `o.${escapeIdentifier(name)}`;
  const isOfTexts = type.kind === 'array' && type.elementType.kind === 'string';
  const order = isOfTexts ? 'element COLLATE "C"' : 'element';
  const isJson = sqlType === 'jsonb';
  const elements = isJson ? `jsonb_array_elements(${column})` : `unnest(${column})`;
  const distinct = `SELECT DISTINCT element FROM ${identities} AS o CROSS JOIN LATERAL ${elements} AS element
     WHERE o._profile_id = c.profile`;
  const all = isJson
    ? `coalesce((SELECT jsonb_agg(element ORDER BY element) FROM (${distinct}) AS each), '[]')`
    : `ARRAY(SELECT element FROM (${distinct}) AS each ORDER BY ${order})`;
  return `CASE WHEN EXISTS (SELECT FROM ${identities} AS o WHERE o._profile_id = c.profile AND ${column} IS NOT NULL)
               THEN ${all} END`;
};

/** Finds the profiles whose identities are others, or have other values. */
export const findChanged = async (batch: Batch): Promise<number> => {
  const { schema, tables } = batch;
  const identities = qualified(schema, '_identities');
  return batch.fill(
    'changed',
    await batch.wayTo('_identities', 'taken'),
    `INSERT INTO ${tables.changed} (profile, size)
     SELECT profile, (SELECT count(*) FROM ${identities} AS i WHERE i._profile_id = c.profile)
     FROM (SELECT profile FROM ${tables.groups}
           UNION
           SELECT i._profile_id FROM ${tables.taken} AS t JOIN ${identities} AS i ON i._id = t.identity
           WHERE i._profile_id IS NOT NULL) AS c`,
  );
};

const isArray = ({ type }: ResolvedColumn): boolean => type.kind === 'array';

/** Computes the changed profiles, and writes those that are others by now. */
export const writeProfiles = async (batch: Batch): Promise<void> => {
  const { schema, rules, tables } = batch;
  const identities = qualified(schema, '_identities');
  const profiles = qualified(schema, '_profiles');
  const { columns } = rules;
  const names = columns.map(({ name }) => escapeIdentifier(name));
  const written = ['_updated_at', '_identities', ...names];
  const select = (
    updatedAt: string,
    count: string,
    valueOf: (column: ResolvedColumn) => string,
  ): string =>
    [
      'c.profile',
      updatedAt,
      count,
      ...columns.map((column) =>
        isArray(column) ? elementsOf(identities, column) : valueOf(column),
      ),
    ].join(', ');
  const insert = (rows: string): string => `
    INSERT INTO ${profiles} AS p (_profile_id, ${written.join(', ')})
    ${rows}
    ON CONFLICT (_profile_id) DO UPDATE
    SET ${written.map((name) => `${name} = excluded.${name}`).join(', ')}
    WHERE (${written.map((name) => `p.${name}`).join(', ')})
          IS DISTINCT FROM (${written.map((name) => `excluded.${name}`).join(', ')})`;
  const from = `FROM ${tables.changed} AS c JOIN ${identities} AS i ON i._profile_id = c.profile`;
  const way = await batch.wayTo('_identities', 'changed');
  await batch.write(
    way,
    insert(`SELECT ${select('i._updated_at', '1', onlyOf)} ${from} WHERE c.size = 1`),
  );
  await batch.write(
    way,
    insert(`SELECT ${select('max(i._updated_at)', 'count(*)', newestOf)} ${from}
      WHERE c.size > 1 GROUP BY c.profile`),
  );
};
