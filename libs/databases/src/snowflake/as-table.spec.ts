import { asTable } from './as-table';

it.each([
  ['SELECT 1', 'SELECT 1'],
  ['SELECT 1 ; \n', 'SELECT 1'],
  ['SELECT 1 ; -- the end', 'SELECT 1'],
  ['SELECT 1 -- );)\n, 2/* ; */AS b', 'SELECT 1  , 2 AS b'],
  [`SELECT (1), ');' AS ");" -- );)`, `SELECT (1), ');' AS ");"`],
  ['SELECT $$);--$$ /* ); */ // )', 'SELECT $$);--$$'],
  ["SELECT 'it''s \\' );--'", "SELECT 'it''s \\' );--'"],
  ["SELECT $1 FROM '@stage//a--b'--c", "SELECT $1 FROM '@stage//a--b'"],
  ['SELECT a$b, $1 FROM t', 'SELECT a$b, $1 FROM t'],
  [
    String.raw`SELECT '\'); DELETE FROM t; SELECT ('`,
    String.raw`SELECT '\'); DELETE FROM t; SELECT ('`,
  ],
])('%s stands in the place of a table', (text, query) => {
  expect(asTable(text)).toBe(`SELECT * FROM (\n${query}\n)`);
});

const TWO = 'syntax error: a query is one statement';
const CLOSED = 'syntax error: a ) stands without its (';
const DOLLARS = 'syntax error: a text in $$ touches a name or another $';
const STAGE = 'syntax error: a comment touches a path, which is written in quotes';

it.each([
  ['', 'the query is empty'],
  ['-- nothing', 'the query is empty'],
  [' ; /* nothing */', 'the query is empty'],
  ['SELECT 1; SELECT 2', TWO],
  ['SELECT 1;;', TWO],
  ['SELECT 1); DELETE FROM t; SELECT (1', CLOSED],
  ['SELECT 1) ->> DELETE FROM t ->> SELECT * FROM (SELECT 1', CLOSED],
  ["SELECT 1) AS t WHERE ('a' = 'a'", CLOSED],
  ['SELECT (1', 'syntax error: a ( stands without its )'],
  [String.raw`SELECT '\\'); DELETE FROM t; SELECT ('`, CLOSED],
  // A $ may be a part of a name.
  ['SELECT 1 AS a$$) ->> DELETE FROM t ->> SELECT * FROM (SELECT 1 AS b$$', DOLLARS],
  ['SELECT 1 AS é$$) ->> DELETE FROM t ->> SELECT * FROM (SELECT 1 AS b$$', DOLLARS],
  ['SELECT b$$c FROM t', DOLLARS],
  ['SELECT $$a$$$', DOLLARS],
  // A comment may be a part of a path.
  ['SELECT 1 FROM @s//) ->> DELETE FROM t', STAGE],
  ['SELECT 1 FROM @s/a--) ->> DELETE FROM t', STAGE],
  ['SELECT 1 FROM @s/*) ->> DELETE FROM t ->> SELECT * FROM (SELECT 1 /* */', STAGE],
])('%j is refused', (text, message) => {
  expect(() => asTable(text)).toThrow(message);
});
