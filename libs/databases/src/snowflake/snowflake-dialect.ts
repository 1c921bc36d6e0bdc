import type { SqlDialect } from '../placeholders/sql-parts';

/** Source: Snowflake, "String & binary data types", "Comments", "Identifier requirements". */
export const SNOWFLAKE_DIALECT: SqlDialect = [
  { kind: 'comment', start: /--|\/\//y, end: () => /\n/g },
  { kind: 'comment', start: /\/\*/y, end: () => /\*\//g },
  { kind: 'quoted', start: /\$\$/y, end: () => /\$\$/g },
  { kind: 'quoted', start: /'/y, end: () => /(?:\\[^]|[^\\'])*'/gy },
  { kind: 'quoted', start: /"/y, end: () => /"/g },
];
