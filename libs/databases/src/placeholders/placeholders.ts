import { DatabaseFault } from '../database/database-fault';
import { type SqlDialect, type SqlPart, sqlParts } from './sql-parts';

const NAMES = ['updated_at', 'limit'] as const;

/** The name of a placeholder of queries. */
export type PlaceholderName = (typeof NAMES)[number];

const PLACEHOLDER = /\$\{([^}]*)(\}?)/g;

/** Characters of a placeholder that a message repeats. */
const MAX_SHOWN = 60;

const invalid = (message: string): DatabaseFault =>
  new DatabaseFault('InvalidPlaceholder', message);

const isName = (name: string): name is PlaceholderName =>
  (NAMES as readonly string[]).includes(name);

const nameOf = (whole: string, name: string, end: string): PlaceholderName => {
  if (end === '') throw invalid('a placeholder that begins with ${ has no } at its end');
  if (isName(name)) return name;
  throw invalid(
    `${Array.from(whole).slice(0, MAX_SHOWN).join('')}: there are only \${updated_at} and \${limit}`,
  );
};

const replaced = (
  { kind, text }: SqlPart,
  literals: Readonly<Record<PlaceholderName, string>>,
): string => {
  if (kind === 'comment') return text;
  if (kind === 'quoted' && text.includes('${'))
    throw invalid('a placeholder stands in quotes: take the quotes off, they come with the value');
  return text.replace(
    PLACEHOLDER,
    (whole, name: string, end: string) => literals[nameOf(whole, name, end)],
  );
};

/**
 * A query with literals in the place of its placeholders. Those in comments are left as they are.
 *
 * @throws DatabaseFault InvalidPlaceholder for any other, for one that does not end, and for one in a text or a quoted
 *   name.
 */
export const withLiterals = (
  text: string,
  dialect: SqlDialect,
  literals: Readonly<Record<PlaceholderName, string>>,
): string => Array.from(sqlParts(text, dialect), (part) => replaced(part, literals)).join('');

/**
 * Looks at the placeholders of a query.
 *
 * @throws DatabaseFault InvalidPlaceholder
 */
export const checkPlaceholders = (text: string, dialect: SqlDialect): void => {
  withLiterals(text, dialect, { updated_at: 'NULL', limit: '0' });
};
