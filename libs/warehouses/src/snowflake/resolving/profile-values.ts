import type { ArrayType } from '@penstock/schema';
import { snowflakeName, snowflakeText } from '@penstock/databases';
import { OTHERS } from '../merging/merge-identities';
import { qualified } from '../sql/names';
import type { Batch } from './batch';
import { absorbed } from './give-ids';
import type { ResolvedColumn } from './rules';

/** Finds the profiles whose identities are others, or have other values, and how many identities each has by now. */
export const findChanged = async (batch: Batch): Promise<void> => {
  const { groups, taken, torn } = batch.tables;
  const identities = qualified(batch.place, '_IDENTITIES');
  await batch.fill(
    'changed',
    `WITH absorbed AS (SELECT PROFILE, SURVIVOR FROM ${absorbed(batch)} AS a)
     SELECT c.PROFILE, COUNT(i."_ID"), MAX(a.SURVIVOR)
     FROM (SELECT PROFILE FROM ${groups}
           UNION SELECT PROFILE FROM ${torn}
           UNION SELECT PROFILE FROM absorbed
           UNION SELECT i."_PROFILE_ID" FROM ${taken} AS t JOIN ${identities} AS i ON i."_ID" = t.IDENTITY
           WHERE i."_PROFILE_ID" IS NOT NULL) AS c
     LEFT JOIN ${identities} AS i ON i."_PROFILE_ID" = c.PROFILE
     LEFT JOIN absorbed AS a ON a.PROFILE = c.PROFILE
     GROUP BY c.PROFILE`,
  );
};

const timeIn = (name: string): string => `"_PROPERTY_TIMES"[${snowflakeText(name)}]::VARCHAR`;

/**
 * SQL of a text that is the greatest for the identity whose value a profile has: that of the primary source, then the newest
 * one by time and tie-breaker, whose bytes are in their order, and as hexadecimal digits end where a greater one goes on.
 */
const rankOf = ({ name, primarySource }: ResolvedColumn): string => {
  const stamp = `HEX_ENCODE(COALESCE(${timeIn(name)}, ${timeIn(OTHERS)}, '')) || ' ' || TIE`;
  if (primarySource === undefined) return stamp;
  return `IFF("_CONNECTION" = ${snowflakeText(primarySource)}, '1', '0') || ${stamp}`;
};

/** SQL of the newest value of the identities of a profile. */
const newestOf = (column: ResolvedColumn): string => {
  const name = snowflakeName(column.name);
  return `MAX_BY(${name}, IFF(${name} IS NULL, NULL, ${rankOf(column)}))`;
};

const isArray = ({ type }: ResolvedColumn): boolean => type.kind === 'array';

/** SQL of what elements of an array are ordered by. */
const orderOf = ({ elementType }: ArrayType, element: string): string => {
  switch (elementType.kind) {
    case 'int':
    case 'year':
      return `CAST(${element} AS NUMBER(38,0))`;
    case 'decimal':
      return `CAST(${element} AS NUMBER(38,${String(elementType.scale)}))`;
    case 'float':
      return `CAST(${element} AS FLOAT)`;
    default:
      return element;
  }
};

/** SQL of the distinct elements that any identity of a profile has, ascending. */
const elementsOf = ({ name, type }: ResolvedColumn): string => {
  const order = orderOf(type as ArrayType, 'f.VALUE::VARCHAR');
  return `
    SELECT PROFILE, ARRAY_AGG(ELEMENT) WITHIN GROUP (ORDER BY PLACE, JSON_TEXT) AS ELEMENTS
    FROM (SELECT o.PROFILE, ${order} AS PLACE, TO_JSON(f.VALUE) AS JSON_TEXT, ANY_VALUE(f.VALUE) AS ELEMENT
          FROM own AS o, LATERAL FLATTEN(INPUT => o.${snowflakeName(name)}) AS f
          GROUP BY o.PROFILE, PLACE, JSON_TEXT) AS element GROUP BY PROFILE`;
};

const valueName = (index: number): string => `V${String(index)}`;
const elementsName = (index: number): string => `E${String(index)}`;

/** SQL of the identities of the changed profiles, with a text that is the greater, the sooner one is taken of equal times. */
const selectOwn = ({ place, rules: { columns }, tables }: Batch): string => {
  const names = [
    '_CONNECTION',
    '_UPDATED_AT',
    '_PROPERTY_TIMES',
    ...columns.map(({ name }) => name),
  ];
  const ties = ['_CONNECTION', '_RECORD_ID', '_PIPELINE', '_ANONYMOUS'];
  const order = ties.map((name) => `i."${name}" DESC`).join(', ');
  return `
    SELECT c.PROFILE, ${names.map((name) => `i.${snowflakeName(name)}`).join(', ')},
           LPAD(CAST(ROW_NUMBER() OVER (PARTITION BY c.PROFILE ORDER BY ${order}) AS VARCHAR), 12, '0') AS TIE
    FROM ${tables.changed} AS c JOIN ${qualified(place, '_IDENTITIES')} AS i ON i."_PROFILE_ID" = c.PROFILE`;
};

/** SQL of the changed profiles as they are by now; those without identities are gone. */
const selectProfiles = (batch: Batch): string => {
  const { columns } = batch.rules;
  const arrays = [...columns.entries()].filter(([, column]) => isArray(column));
  const values = columns.map(
    (column, index) =>
      `${isArray(column) ? `COUNT(${snowflakeName(column.name)})` : newestOf(column)} AS ${valueName(index)}`,
  );
  const shown = columns.map((column, index) => {
    const [value, elements] = [valueName(index), elementsName(index)];
    if (!isArray(column)) return `v.${value}`;
    return `IFF(v.${value} > 0, COALESCE(${elements}.ELEMENTS, ARRAY_CONSTRUCT()), NULL) AS ${value}`;
  });
  return `
    WITH own AS (${selectOwn(batch)})
    SELECT ${['c.PROFILE', 'c.SIZE', 'v.UPDATED_AT', ...shown].join(', ')}
    FROM ${batch.tables.changed} AS c
    LEFT JOIN (SELECT ${['PROFILE', 'MAX("_UPDATED_AT") AS UPDATED_AT', ...values].join(', ')}
               FROM own GROUP BY PROFILE) AS v ON v.PROFILE = c.PROFILE
    ${arrays
      .map(([index, column]) => {
        const name = elementsName(index);
        return `LEFT JOIN (${elementsOf(column)}) AS ${name} ON ${name}.PROFILE = c.PROFILE`;
      })
      .join(' ')}`;
};

const isJson = ({ sqlType }: ResolvedColumn): boolean => ['ARRAY', 'VARIANT'].includes(sqlType);

/** SQL of whether a profile has another value. */
const isOther = (column: ResolvedColumn, index: number): string => {
  const values = [`p.${snowflakeName(column.name)}`, `s.${valueName(index)}`];
  return values
    .map((value) => (isJson(column) ? `TO_JSON(${value})` : value))
    .join(' IS DISTINCT FROM ');
};

/** Computes the changed profiles, writes those that are others by now, and deletes those that are gone. */
export const writeProfiles = async (batch: Batch): Promise<void> => {
  const { columns } = batch.rules;
  const names = [
    '"_UPDATED_AT"',
    '"_IDENTITIES"',
    ...columns.map(({ name }) => snowflakeName(name)),
  ];
  const values = ['s.UPDATED_AT', 's.SIZE', ...columns.map((_, index) => `s.${valueName(index)}`)];
  const areOthers = [
    'p."_UPDATED_AT" <> s.UPDATED_AT',
    'p."_IDENTITIES" <> s.SIZE',
    ...columns.map(isOther),
  ];
  await batch.write(
    `MERGE INTO ${qualified(batch.place, '_PROFILES')} AS p USING (${selectProfiles(batch)}) AS s
     ON p."_PROFILE_ID" = s.PROFILE
     WHEN MATCHED AND s.SIZE = 0 THEN DELETE
     WHEN MATCHED AND (${areOthers.join(' OR ')})
     THEN UPDATE SET ${names.map((name, index) => `${name} = ${values[index] ?? ''}`).join(', ')}
     WHEN NOT MATCHED AND s.SIZE > 0 THEN INSERT ("_PROFILE_ID", "_CREATED_AT", ${names.join(', ')})
     VALUES (s.PROFILE, CURRENT_TIMESTAMP(), ${values.join(', ')})`,
  );
};
