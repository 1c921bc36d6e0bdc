import type { SqlDialect } from '../placeholders/sql-parts';

/** A character of names beyond ASCII. */
const WIDE = '\\u0080-\\uffff';

/** Source: PostgreSQL, 4.1 Lexical Structure; with `standard_conforming_strings`, which the session switches on. */
export const POSTGRESQL_DIALECT: SqlDialect = [
  { kind: 'comment', start: /--/y, end: () => /\n|\r/g },
  { kind: 'comment', start: /\/\*/y, end: () => /\*\//g, nests: true },
  { kind: 'quoted', start: /[eE]'/y, end: () => /(?:\\[^]|''|[^\\'])*'/gy },
  { kind: 'quoted', start: /'/y, end: () => /'/g },
  { kind: 'quoted', start: /"/y, end: () => /"/g },
  {
    kind: 'quoted',
    start: new RegExp(`\\$([A-Za-z_${WIDE}][\\w${WIDE}]*)?\\$`, 'y'),
    end: ([tag]) => new RegExp(tag.replaceAll('$', '\\$'), 'g'),
  },
  // A name, so that neither an e nor a $ at its end begins something.
  {
    kind: 'code',
    start: new RegExp(`(?![eE]')[A-Za-z_${WIDE}](?:[\\w${WIDE}]|\\$(?!\\{))*`, 'y'),
    end: () => /(?:)/g,
  },
];
