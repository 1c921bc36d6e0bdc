import { snowflakeName, snowflakeText, type SnowflakeSession } from '@penstock/databases';
import { list, type Place, qualified } from '../sql/names';

/** What is merged into the identities of a warehouse. */
export interface Merge {
  readonly place: Place;
  /** SQL of a table expression with every column of {@link MERGED} and of the properties, at most one row a key. */
  readonly source: string;
  /** The columns of the profile schema. */
  readonly properties: readonly string[];
}

/** In `_PROPERTY_TIMES`: the time of every column that is not named there. No column of a property is called so. */
export const OTHERS = '_OTHERS';

/** The columns of an identity that are merged, beside its properties. */
const MERGED = [
  '_CONNECTION',
  '_PIPELINE',
  '_RECORD_ID',
  '_ANONYMOUS',
  '_ANONYMOUS_IDS',
  '_PREVIOUS_IDS',
  '_UPDATED_AT',
  '_PROPERTY_TIMES',
  '_ANONYMOUS_TIMES',
  '_RUN',
] as const;

const SAME_KEY = ['_PIPELINE', '_ANONYMOUS', '_RECORD_ID']
  .map((name) => `i."${name}" = s."${name}"`)
  .join(' AND ');

const timeIn = (row: string, column: string): string =>
  `${row}."_PROPERTY_TIMES"[${snowflakeText(column)}]::VARCHAR`;

/** A time and a tie-breaker, in the order of their bytes: of the column, else of the others; empty: none. */
const timeOf = (row: string, column: string): string =>
  `COALESCE(${timeIn(row, column)}, ${timeIn(row, OTHERS)}, '')`;

/** Characters of a moment in a time, which are followed by a space and the tie-breaker. */
const MOMENT = 27;

/**
 * Whether a row is of a record without an update time that says what is known already: such a record has the start of its run
 * as its time and as its tie-breaker. It keeps the time at which its present values were seen first.
 */
const isUnchanged = (properties: readonly string[]): string => {
  const others = timeIn('s', OTHERS);
  const undated = `LEFT(${others}, ${String(MOMENT)}) = SUBSTR(${others}, ${String(MOMENT + 2)})`;
  const same = properties.map((name) => {
    const [one, other] = ['s', 'i'].map((row) => `${row}.${snowflakeName(name)}`);
    return `COALESCE(${one} = ${other}, ${one} IS NULL AND ${other} IS NULL)`;
  });
  return `COALESCE(${[undated, ...same].join(' AND ')}, FALSE)`;
};

/** Identities that are there, each with the row that is merged into it: times of what is new as N, of what is old as O. */
const known = ({ place, source, properties }: Merge): string => {
  const times = properties.flatMap((name, index) => [
    `${timeOf('s', name)} AS G${String(index)}`,
    `${timeOf('i', name)} AS O${String(index)}`,
  ]);
  const values = properties.flatMap((name, index) => [
    `s.${snowflakeName(name)} AS NV${String(index)}`,
    `i.${snowflakeName(name)} AS OV${String(index)}`,
  ]);
  const own = MERGED.flatMap((name) => [
    `s."${name}" AS ${name === '_UPDATED_AT' ? 'G' : 'N'}${name}`,
    `i."${name}" AS O${name}`,
  ]);
  const kept = ['X', ...properties.map((_, index) => String(index)), '_UPDATED_AT'].map(
    (name) => `IFF(given.IS_KEPT, given.O${name}, given.G${name}) AS N${name}`,
  );
  return `
    SELECT given.*, ${kept.join(', ')} FROM (SELECT ${[
      ...['i."_ID" AS ID', 'i."_PROFILE_ID" AS PROFILE', ...own],
      `COALESCE(${timeIn('s', OTHERS)}, '') AS GX`,
      `COALESCE(${timeIn('i', OTHERS)}, '') AS OX`,
      ...[...times, ...values],
      `${isUnchanged(properties)} AS IS_KEPT`,
    ].join(', ')}
    FROM ${source} AS s JOIN ${qualified(place, '_IDENTITIES')} AS i ON ${SAME_KEY}) AS given`;
};

const elements = (row: 'N' | 'O', column: string, value: string, where: string): string =>
  `SELECT pair.ID, ${value}, ${row === 'N' ? '0' : '1'} AS WAS
   FROM known AS pair, LATERAL FLATTEN(INPUT => pair.${row}${column}) AS f WHERE ARRAY_SIZE(pair.${where}) > 0`;

/** Anonymous ids that are linked, by the time of their first event, of identities that get any. */
const LINKS = `
  SELECT ID, OBJECT_AGG(ITEM, TO_VARIANT(AT_TIME)) AS TIMES, ARRAY_AGG(ITEM) WITHIN GROUP (ORDER BY AT_TIME, ITEM) AS IDS,
         MAX(CASE WHEN OLD IS NULL OR AT_TIME < OLD THEN 1 ELSE 0 END) AS CHANGED
  FROM (SELECT ID, ITEM, MIN(AT_TIME) AS AT_TIME, MIN(CASE WHEN WAS = 1 THEN AT_TIME END) AS OLD
        FROM (${(['N', 'O'] as const)
          .map((row) =>
            elements(
              row,
              '_ANONYMOUS_TIMES',
              'f.KEY AS ITEM, f.VALUE::VARCHAR AS AT_TIME',
              'N_ANONYMOUS_IDS',
            ),
          )
          .join(' UNION ALL ')}) AS e GROUP BY ID, ITEM) AS each_id GROUP BY ID`;

/** Previous ids, of identities that get any. */
const PREVIOUS = `
  SELECT ID, ARRAY_AGG(ITEM) WITHIN GROUP (ORDER BY ITEM) AS IDS, MAX(1 - WAS) AS CHANGED
  FROM (SELECT ID, ITEM, MAX(WAS) AS WAS
        FROM (${(['N', 'O'] as const)
          .map((row) =>
            elements(row, '_PREVIOUS_IDS', 'f.VALUE::VARCHAR AS ITEM', 'N_PREVIOUS_IDS'),
          )
          .join(' UNION ALL ')}) AS e GROUP BY ID, ITEM) AS each_id GROUP BY ID`;

/** Of each column the greater time, unless the others have it too: then it needs no name. */
const mergedTimes = (properties: readonly string[]): string => {
  const others = 'GREATEST(k.NX, k.OX)';
  const members = properties.map(
    (name, index) =>
      `${snowflakeText(name)}, NULLIF(GREATEST(k.N${String(index)}, k.O${String(index)}), ${others})`,
  );
  return `OBJECT_CONSTRUCT(${[`'${OTHERS}', NULLIF(${others}, '')`, ...members].join(', ')})`;
};

const later = (one: string, other: string): string => `k.${one} > k.${other}`;

/** Identities that are there as they are once the source is merged into them. */
const merged = (merge: Merge): string => {
  const { properties } = merge;
  const isLater = [
    later('NX', 'OX'),
    ...properties.map((_, index) => later(`N${String(index)}`, `O${String(index)}`)),
    'COALESCE(l.CHANGED, 0) = 1',
    'COALESCE(p.CHANGED, 0) = 1',
  ];
  const values = properties.map(
    (name, index) =>
      `CASE WHEN ${later(`N${String(index)}`, `O${String(index)}`)} THEN k.NV${String(index)} ELSE k.OV${String(index)} END AS ${snowflakeName(name)}`,
  );
  return `
    WITH known AS (${known(merge)}), links AS (${LINKS}), previous AS (${PREVIOUS})
    SELECT ${[
      ...['k.ID', 'k.PROFILE', 'k.N_CONNECTION AS "_CONNECTION"'],
      'COALESCE(k.N_RUN, k.O_RUN) AS "_RUN"',
      'GREATEST(k.N_UPDATED_AT, k.O_UPDATED_AT) AS "_UPDATED_AT"',
      `${mergedTimes(properties)} AS "_PROPERTY_TIMES"`,
      'CASE WHEN l.ID IS NULL THEN k.O_ANONYMOUS_IDS ELSE l.IDS END AS "_ANONYMOUS_IDS"',
      'CASE WHEN l.ID IS NULL THEN k.O_ANONYMOUS_TIMES ELSE l.TIMES END AS "_ANONYMOUS_TIMES"',
      'CASE WHEN p.ID IS NULL THEN k.O_PREVIOUS_IDS ELSE p.IDS END AS "_PREVIOUS_IDS"',
      `(${isLater.join(' OR ')}) AS IS_CHANGED`,
      'k.N_UPDATED_AT > k.O_UPDATED_AT AS IS_NEWER',
      `k.N_CONNECTION <> k.O_CONNECTION OR COALESCE(k.N_RUN <> k.O_RUN, k.N_RUN IS NOT NULL) AS IS_MOVED`,
      ...values,
    ].join(', ')}
    FROM known AS k LEFT JOIN links AS l ON l.ID = k.ID LEFT JOIN previous AS p ON p.ID = k.ID`;
};

/** Marks those that change, before they do. */
const markChanged = (merge: Merge): string => `
  MERGE INTO ${qualified(merge.place, '_DIRTY')} AS d
  USING (SELECT * FROM (${merged(merge)}) AS m WHERE m.IS_CHANGED OR m.IS_NEWER) AS m ON d."IDENTITY" = m.ID
  WHEN NOT MATCHED THEN INSERT ("IDENTITY", "SINCE", "CHANGE", "PROFILE_ID")
  VALUES (m.ID, CURRENT_TIMESTAMP(), 'changed', m.PROFILE)`;

const mergeKnown = (merge: Merge): string => {
  const set = [
    ...MERGED.filter((name) => !['_PIPELINE', '_RECORD_ID', '_ANONYMOUS'].includes(name)),
    ...merge.properties,
  ].map((name) => `${snowflakeName(name)} = m.${snowflakeName(name)}`);
  return `
    MERGE INTO ${qualified(merge.place, '_IDENTITIES')} AS t USING (${merged(merge)}) AS m ON t."_ID" = m.ID
    WHEN MATCHED AND (m.IS_CHANGED OR m.IS_NEWER OR m.IS_MOVED) THEN UPDATE SET ${set.join(', ')}`;
};

/** Adds the identities that are not there. */
const addUnknown = ({ place, source, properties }: Merge): string => {
  const names = [...MERGED, ...properties];
  const identities = qualified(place, '_IDENTITIES');
  return `
    INSERT INTO ${identities} (${list(names)})
    SELECT ${names.map((name) => `s.${snowflakeName(name)}`).join(', ')} FROM ${source} AS s
    LEFT JOIN ${identities} AS i ON ${SAME_KEY} WHERE i."_ID" IS NULL ORDER BY s."_RECORD_ID"`;
};

/** Rows are numbered in the order in which they are made: those with greater numbers were added since. */
const markAdded = (place: Place, last: string): string => `
  INSERT INTO ${qualified(place, '_DIRTY')} ("IDENTITY", "SINCE", "CHANGE")
  SELECT "_ID", CURRENT_TIMESTAMP(), 'added' FROM ${qualified(place, '_IDENTITIES')} WHERE "_ID" > ${last}`;

/** How many rows of the source are there, and the greatest number of an identity. */
const lookUp = ({ place, source }: Merge): string => {
  const identities = qualified(place, '_IDENTITIES');
  return `SELECT (SELECT COUNT(*) FROM ${source} AS s), (SELECT COUNT(*) FROM ${source} AS s JOIN ${identities} AS i ON ${SAME_KEY}),
                 (SELECT COALESCE(MAX("_ID"), 0) FROM ${identities})`;
};

/**
 * Merges rows into the identities by the time of each property: the value of the greater time stays, and of equal ones that which
 * is there. Merging is commutative, associative and idempotent, so that neither order nor repetition matters. Within a
 * transaction that has the lock of the warehouse.
 */
export const mergeIdentities = async (session: SnowflakeSession, merge: Merge): Promise<void> => {
  const [row = []] = await session.rows(lookUp(merge));
  const [all, there, last] = row.map(Number);
  if (there !== 0) {
    await session.rows(markChanged(merge));
    await session.rows(mergeKnown(merge));
  }
  if (there === all) return;
  await session.rows(addUnknown(merge));
  await session.rows(markAdded(merge.place, String(row[2] ?? last)));
};
