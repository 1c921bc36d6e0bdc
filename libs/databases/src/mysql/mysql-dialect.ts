import type { SqlDialect } from '../placeholders/sql-parts';

/** Source: MySQL, 11.1 Literal Values, 11.7 Comments; executable comments (`/*!`) are code. */
export const MYSQL_DIALECT: SqlDialect = [
  { kind: 'comment', start: /--(?=[\s\p{Cc}]|$)/uy, end: () => /\n/g },
  { kind: 'comment', start: /#/y, end: () => /\n/g },
  { kind: 'comment', start: /\/\*(?!M?!)/y, end: () => /\*\//g },
  { kind: 'quoted', start: /'/y, end: () => /(?:\\[^]|[^\\'])*'/gy },
  { kind: 'quoted', start: /"/y, end: () => /(?:\\[^]|[^\\"])*"/gy },
  { kind: 'quoted', start: /`/y, end: () => /`/g },
];
