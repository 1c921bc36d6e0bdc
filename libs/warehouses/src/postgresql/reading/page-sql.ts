import { behind, namedSql, namesSql, orderByName, orderSql, type Sorting } from './places';

/** A page of the rows of a table. */
export interface PageOfRows {
  /** SQL of the table. */
  readonly table: string;
  /** SQL of what a row has to fulfil. */
  readonly conditions: readonly string[];
  readonly sorting: Sorting;
  /** Absent: from the first row on. */
  readonly after: string | undefined;
  readonly limit: number;
  /** Of the values of the rows together, but for the first one. */
  readonly maxBytes: number;
  /**
   * SQL of what is read of each row, by names; among them `values`, which is measured. It may use the names of
   * {@link namedSql}.
   */
  readonly shown: Readonly<Record<string, string>>;
}

export const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.map((each) => `(${each})`).join(' AND ')}`;

/**
 * SQL of a page. One more than wanted is looked at, which `found` counts; those that are too
 * large together are left out.
 */
export const pageSql = ({
  table,
  conditions,
  sorting,
  after,
  limit,
  maxBytes,
  shown,
}: PageOfRows): string => {
  const columns = Object.entries(shown).map(([name, sql]) => `${sql} AS "${name}"`);
  const names = Object.keys(shown).map((name) => `"${name}"`);
  const all = after === undefined ? conditions : [...conditions, behind(sorting, after)];
  const listed = orderByName(sorting);
  return `
  SELECT ${names.join(', ')}, found
  FROM (SELECT *, (count(*) OVER ())::int AS found, row_number() OVER listed AS number,
               sum(octet_length("values"::text)) OVER listed AS bytes
        FROM (SELECT ${namesSql(sorting)}, ${columns.join(', ')}
              FROM (SELECT *, ${namedSql(sorting)} FROM ${table} ${where(all)}
                    ORDER BY ${orderSql(sorting)} LIMIT ${String(limit + 1)}) AS looked_at) AS read
        WINDOW listed AS (ORDER BY ${listed} ROWS UNBOUNDED PRECEDING)) AS measured
  WHERE number <= ${String(limit)} AND (number = 1 OR bytes <= ${String(maxBytes)})
  ORDER BY ${listed}`;
};
