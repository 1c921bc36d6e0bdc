import type { SqlDialect } from '../placeholders/sql-parts';

/** Source: ClickHouse, Lexer.cpp: texts and names have escapes, comments nest, `$tag$` begins a text. */
export const CLICKHOUSE_DIALECT: SqlDialect = [
  { kind: 'comment', start: /--/y, end: () => /\n/g },
  { kind: 'comment', start: /#(?=[ !])/y, end: () => /\n/g },
  { kind: 'comment', start: /\/\*/y, end: () => /\*\//g, nests: true },
  { kind: 'quoted', start: /'/y, end: () => /(?:\\[^]|''|[^\\'])*'/gy },
  { kind: 'quoted', start: /"/y, end: () => /(?:\\[^]|""|[^\\"])*"/gy },
  { kind: 'quoted', start: /`/y, end: () => /(?:\\[^]|``|[^\\`])*`/gy },
  {
    kind: 'quoted',
    start: /\$\w*\$/y,
    end: ([tag]) => new RegExp(tag.replaceAll('$', '\\$'), 'g'),
  },
  // A name, so that a $ in it begins nothing.
  { kind: 'code', start: /[A-Za-z_](?:\w|\$(?!\{))*/y, end: () => /(?:)/g },
];
