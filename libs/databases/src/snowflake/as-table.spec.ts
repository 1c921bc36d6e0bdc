import { asTable } from './as-table';

it.each([
  ['SELECT 1', 'SELECT 1'],
  ['SELECT 1 ; \n', 'SELECT 1 '],
  [`SELECT (1), ');' AS ");" -- );)`, `SELECT (1), ');' AS ");" -- );)`],
  ['SELECT $$);$$ /* ); */ // )', 'SELECT $$);$$ /* ); */ // )'],
  ["SELECT 'it''s \\' );'", "SELECT 'it''s \\' );'"],
  [
    String.raw`SELECT '\'); DELETE FROM t; SELECT ('`,
    String.raw`SELECT '\'); DELETE FROM t; SELECT ('`,
  ],
])('%s stands in the place of a table', (text, query) => {
  expect(asTable(text)).toBe(`SELECT * FROM (\n${query}\n)`);
});

it.each([
  ['', 'the query is empty'],
  ['-- nothing', 'the query is empty'],
  ['SELECT 1; SELECT 2', 'syntax error: a query is one statement'],
  ['SELECT 1); DELETE FROM t; SELECT (1', 'syntax error: a ) stands without its ('],
  ["SELECT 1) AS t WHERE ('a' = 'a'", 'syntax error: a ) stands without its ('],
  ['SELECT (1', 'syntax error: a ( stands without its )'],
  [String.raw`SELECT '\\'); DELETE FROM t; SELECT ('`, 'syntax error: a ) stands without its ('],
])('%j is refused', (text, message) => {
  expect(() => asTable(text)).toThrow(message);
});
