import { escapeIdentifier, escapeLiteral } from 'pg';
import { literal } from '../sql/literal';
import { qualified } from '../sql/names';

/** What is merged into the identities of a warehouse. */
export interface Merge {
  readonly schema: string;
  /** SQL of a table expression with every column of {@link MERGED} and of the properties, at most one row a key. */
  readonly source: string;
  /** The columns of the profile schema. */
  readonly properties: readonly string[];
}

/** In `_property_times`: the time of every column that is not named there. No column is called so. */
export const OTHERS = '*';

/** The columns of an identity that are merged, beside its properties. */
const MERGED = [
  '_connection',
  '_pipeline',
  '_record_id',
  '_anonymous',
  '_anonymous_ids',
  '_previous_ids',
  '_updated_at',
  '_property_times',
  '_anonymous_times',
  '_run',
] as const;

/** Times and tie-breakers are texts whose bytes are in their order. */
const later = (one: string, other: string): string => `${one} COLLATE "C" > ${other} COLLATE "C"`;

const timeOf = (row: string, column: string): string =>
  `coalesce(${row}._property_times->>${escapeLiteral(column)}, ${row}.others, '')`;

/** Of each key the greatest time; what has the time of all the others needs no name. An earlier one was cleared. */
const MERGED_TIMES = `
  CASE WHEN i.is_plain AND s.is_plain
       THEN CASE WHEN ${later('s.others', 'i.others')} THEN s._property_times ELSE i._property_times END
       ELSE (SELECT coalesce(jsonb_object_agg(key, time), '{}')
             FROM (SELECT key, greatest(coalesce(i._property_times->>key, i.others, '') COLLATE "C",
                                        coalesce(s._property_times->>key, s.others, '')) AS time
                   FROM (SELECT jsonb_object_keys(i._property_times)
                         UNION SELECT jsonb_object_keys(s._property_times)) AS e (key)) AS t
             WHERE key = '${OTHERS}' OR time <> coalesce(greatest(i.others COLLATE "C", s.others), '')) END`;

const MERGED_ANONYMOUS_TIMES = `
  CASE WHEN s._anonymous_times = '{}' THEN i._anonymous_times
       ELSE (SELECT jsonb_object_agg(key, time)
             FROM (SELECT key, min(value COLLATE "C") AS time
                   FROM (SELECT * FROM jsonb_each_text(i._anonymous_times)
                         UNION ALL SELECT * FROM jsonb_each_text(s._anonymous_times)) AS e (key, value)
                   GROUP BY key) AS t) END`;

const MERGED_PREVIOUS_IDS = `
  CASE WHEN s._previous_ids <@ i._previous_ids THEN i._previous_ids
       ELSE ARRAY (SELECT id FROM (SELECT DISTINCT unnest(i._previous_ids || s._previous_ids) AS id) AS ids
                   ORDER BY id COLLATE "C") END`;

const ANONYMOUS_IDS = `
  CASE WHEN m._anonymous_times = i._anonymous_times THEN i._anonymous_ids
       ELSE ARRAY (SELECT key FROM jsonb_each_text(m._anonymous_times)
                   ORDER BY value COLLATE "C", key COLLATE "C") END`;

const sameKey = (row: string): string =>
  ['_pipeline', '_anonymous', '_record_id']
    .map((name) => `i.${name} = ${row}.${name}`)
    .join(' AND ');

const SAME_KEY = sameKey('s');

/** A row with the time of its other columns, and whether it knows no time besides. */
const timed = (from: string): string => `
  (SELECT *, _property_times->>'${OTHERS}' AS others,
          _property_times ? '${OTHERS}' AND _property_times - '${OTHERS}' = '{}' AS is_plain
   FROM ${from} AS each)`;

/** Characters of a moment in a time, which are followed by a space and the tie-breaker. */
const MOMENT = 27;

/**
 * Whether a row is of a record without an update time that says what is known already: such a record has the start of its run
 * as its time and as its tie-breaker. It keeps the time at which its present values were seen first.
 */
const isUnchanged = (properties: readonly string[]): string => {
  const values = (row: string): string =>
    `ROW(${properties.map((name) => `${row}.${escapeIdentifier(name)}`).join(', ')})`;
  const isSame =
    properties.length === 0 ? 'true' : `${values('given')} IS NOT DISTINCT FROM ${values('i')}`;
  return `
    CASE WHEN given.is_plain AND i.is_plain
              AND left(given.others, ${String(MOMENT)}) = substr(given.others, ${String(MOMENT + 2)})
         THEN ${isSame} ELSE false END`;
};

/** The rows that are known, each with its identity as `i`; as `s`, with the times by which it is merged. */
const knownRows = ({ schema, source, properties }: Merge): string => {
  const own = ['_connection', '_run', '_anonymous_times', '_previous_ids', 'is_plain'];
  const times = ['_updated_at', '_property_times', 'others'].map(
    (name) => `CASE WHEN kept.is_kept THEN i.${name} ELSE given.${name} END AS ${name}`,
  );
  const given = [...own, ...properties.map(escapeIdentifier)].map((name) => `given.${name}`);
  return `${timed(source)} AS given
    JOIN ${timed(qualified(schema, '_identities'))} AS i ON ${sameKey('given')}
    CROSS JOIN LATERAL (SELECT ${isUnchanged(properties)} AS is_kept OFFSET 0) AS kept
    CROSS JOIN LATERAL (SELECT ${[...given, ...times].join(', ')} OFFSET 0) AS s`;
};

/** A setting of the transaction: of what is merged, `none`, `some` or `all` is known. */
const KNOWN = `'penstock.known'`;

/** Merges into the identities that are there, marks those that it has changed, and tells how many are there. */
const mergeKnown = ({ schema, source, properties }: Merge): string => {
  const identities = qualified(schema, '_identities');
  const values = properties.map((name) => {
    const column = escapeIdentifier(name);
    return `CASE WHEN ${later(timeOf('s', name), timeOf('i', name))} THEN s.${column} ELSE i.${column} END AS ${column}`;
  });
  const set = properties.map(escapeIdentifier).map((column) => `${column} = m.${column}`);
  return `
    WITH merged AS MATERIALIZED (
      SELECT *, (_property_times, _anonymous_times, _previous_ids)
                IS DISTINCT FROM (old_times, old_anonymous_times, old_previous_ids) AS is_changed
      FROM (SELECT ${[
        'i._id',
        's._connection',
        's._run',
        's._updated_at',
        `${MERGED_TIMES} AS _property_times`,
        `${MERGED_ANONYMOUS_TIMES} AS _anonymous_times`,
        `${MERGED_PREVIOUS_IDS} AS _previous_ids`,
        'i._property_times AS old_times',
        'i._anonymous_times AS old_anonymous_times',
        'i._previous_ids AS old_previous_ids',
        'i._updated_at AS old_updated_at',
        ...values,
      ].join(', ')}
            FROM ${knownRows({ schema, source, properties })}
            -- What was merged is compared, and not merged once more for that.
            OFFSET 0) AS both_rows),
    written AS (
      UPDATE ${identities} AS i SET ${[
        '_connection = m._connection',
        '_run = coalesce(m._run, i._run)',
        '_updated_at = greatest(m._updated_at, i._updated_at)',
        '_property_times = m._property_times',
        `_anonymous_ids = ${ANONYMOUS_IDS}`,
        '_anonymous_times = m._anonymous_times',
        '_previous_ids = m._previous_ids',
        ...set,
      ].join(', ')}
      FROM merged AS m
      WHERE i._id = m._id
        AND (m.is_changed OR i._updated_at < m._updated_at OR i._connection <> m._connection
             OR i._run IS DISTINCT FROM coalesce(m._run, i._run))
      RETURNING i._id, i._profile_id, m.is_changed OR m.old_updated_at < m._updated_at AS is_changed),
    marked AS (
      INSERT INTO ${qualified(schema, '_dirty')} (identity, change, profile_id)
      SELECT _id, 'changed', _profile_id FROM written WHERE is_changed
      ON CONFLICT (identity) DO NOTHING)
    SELECT set_config(${KNOWN}, CASE count(*) WHEN 0 THEN 'none' WHEN (SELECT count(*) FROM ${source} AS s)
                                              THEN 'all' ELSE 'some' END, true) FROM merged`;
};

/**
 * As {@link mergeKnown}, where any is there: otherwise the statement, which is long, is not even prepared. The first import of
 * a pipeline finds none.
 */
const mergeIfKnown = (merge: Merge): string => {
  const identities = qualified(merge.schema, '_identities');
  const known = `SELECT FROM ${merge.source} AS s CROSS JOIN LATERAL (
    SELECT FROM ${identities} AS i WHERE ${SAME_KEY} OFFSET 0) AS known`;
  const [then, otherwise] = [
    `EXECUTE ${literal(mergeKnown(merge))}`,
    `PERFORM set_config(${KNOWN}, 'none', true)`,
  ];
  return `DO ${literal(`BEGIN IF EXISTS (${known}) THEN ${then}; ELSE ${otherwise}; END IF; END`)}`;
};

/**
 * Adds the identities that are not there, sorted, so that none is looked up among those that it adds, and marks them. None is
 * looked up again where all are there, or none is.
 */
const addUnknown = ({ schema, source, properties }: Merge): string => {
  const identities = qualified(schema, '_identities');
  const names = [...MERGED, ...properties.map(escapeIdentifier)].join(', ');
  return `
    WITH added AS (
      INSERT INTO ${identities} (${names})
      SELECT ${names} FROM ${source} AS s
      WHERE (SELECT current_setting(${KNOWN})) <> 'all'
        AND ((SELECT current_setting(${KNOWN})) = 'none'
             OR (SELECT i._id FROM ${identities} AS i WHERE ${SAME_KEY} LIMIT 1) IS NULL)
      ORDER BY _record_id
      RETURNING _id)
    INSERT INTO ${qualified(schema, '_dirty')} (identity, change) SELECT _id, 'added' FROM added`;
};

/**
 * Statements after which the transaction looks each row up by its key, whatever the statistics say: batches are small and
 * tables are large. Those of a table that has just been filled say that it is nearly empty, which cost seconds a batch.
 */
export const LOOK_UPS: readonly string[] = [
  `SELECT ${[
    ...['enable_hashjoin', 'enable_mergejoin', 'enable_material', 'enable_bitmapscan'],
    // What is switched off counts as very expensive, and what is expensive is compiled first, batch by batch.
    'jit',
  ]
    .map((name) => `set_config('${name}', 'off', true)`)
    .join(', ')}`,
];

/**
 * Statements that merge rows into the identities by the time of each property: the value of the greater time stays, and
 * of equal ones that which is there. Merging is commutative, associative and idempotent, so that neither order nor
 * repetition matters. Within one transaction, and one at a time for each pipeline.
 */
export const mergeIdentities = (merge: Merge): readonly string[] => [
  ...LOOK_UPS,
  mergeIfKnown(merge),
  addUnknown(merge),
];
