import { behind, comparedShown, orderByName, orderSql, type Sorting } from './places';
import { type Row, type Selection, shownSql } from './rows';

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
  /** Of the rows together, but for the first one. */
  readonly maxBytes: number;
  /** SQL of what is read of each row, by names. */
  readonly shown: Readonly<Record<string, string>>;
  /** SQL of the bytes that it has. */
  readonly bytes: string;
}

export const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.map((each) => `(${each})`).join(' AND ')}`;

/** How many rows were looked at. */
const FOUND = '_FOUND';

/**
 * A page. One more than wanted is looked at, which {@link isLastPage} counts; those that are too large together are left
 * out.
 */
export const selectPage = (page: PageOfRows): Selection => {
  const { sorting, after, limit, maxBytes } = page;
  const shown = { ...comparedShown(sorting), ...page.shown };
  const names = Object.keys(shown);
  const conditions =
    after === undefined ? page.conditions : [...page.conditions, behind(sorting, after)];
  const listed = orderByName(sorting);
  const all = names.map((name) => `"${name}"`).join(', ');
  const sql = `
  SELECT ${all}, "${FOUND}"
  FROM (SELECT ${all}, COUNT(*) OVER () AS "${FOUND}", ROW_NUMBER() OVER (ORDER BY ${listed}) AS "_NUMBER",
               SUM("_BYTES") OVER (ORDER BY ${listed} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS "_SUM"
        FROM (SELECT ${shownSql(shown)}, ${page.bytes} AS "_BYTES"
              FROM ${page.table} ${where(conditions)}
              ORDER BY ${orderSql(sorting)} LIMIT ${String(limit + 1)}) AS "_READ") AS "_MEASURED"
  WHERE "_NUMBER" <= ${String(limit)} AND ("_NUMBER" = 1 OR "_SUM" <= ${String(maxBytes)})
  ORDER BY ${listed}`;
  return { sql, names: [...names, FOUND] };
};

/** Whether no others follow the rows of {@link selectPage}. */
export const isLastPage = (rows: readonly Row[]): boolean =>
  Number(rows[0]?.[FOUND] ?? 0) === rows.length;
