import { DatabaseFault } from '../database/database-fault';
import { type SqlPart, sqlParts } from '../placeholders/sql-parts';
import { SNOWFLAKE_DIALECT } from './snowflake-dialect';

const invalid = (message: string): DatabaseFault => new DatabaseFault('InvalidQuery', message);

/** What would end the place of the table: a statement behind, or a parenthesis that is not the query's own. */
const checkClosed = (code: string): void => {
  let depth = 0;
  for (const [sign] of code.matchAll(/[();]/g)) {
    if (sign === ';') throw invalid('syntax error: a query is one statement');
    depth += sign === '(' ? 1 : -1;
    if (depth < 0) throw invalid('syntax error: a ) stands without its (');
  }
  if (depth > 0) throw invalid('syntax error: a ( stands without its )');
};

/** The end of a name, of which `$$` may be a part. */
const NAME = /[\p{L}\p{N}_$]$/u;
/** The end of a path within a stage, of which `--`, `//` and `/*` may be a part. */
const PATH = /@[^\s()]*$/;

/** What the server may divide at other places than we do, so that more is executed than we see. */
const checkPlain = (parts: readonly SqlPart[]): void => {
  for (const [index, { kind, text }] of parts.entries()) {
    const [before = '', behind = ''] = [parts[index - 1]?.text, parts[index + 1]?.text];
    if (text.startsWith('$$') && (NAME.test(before) || behind.startsWith('$')))
      throw invalid('syntax error: a text in $$ touches a name or another $');
    if (kind === 'comment' && parts[index - 1]?.kind === 'code' && PATH.test(before))
      throw invalid('syntax error: a comment touches a path, which is written in quotes');
  }
};

/** Without the comments, which hide nothing from us that way. */
const plainText = ({ kind, text }: SqlPart): string => (kind === 'comment' ? ' ' : text);

const codeOf = ({ kind, text }: SqlPart): string => (kind === 'code' ? text : '');

/**
 * A query in the place of a table of another one. Snowflake has no transactions that only read: no statement that writes
 * can stand there, and no other statement.
 *
 * @throws DatabaseFault InvalidQuery when it would not stay there.
 */
export const asTable = (text: string): string => {
  const whole = Array.from(sqlParts(text, SNOWFLAKE_DIALECT));
  checkPlain(whole);
  const query = whole.map(plainText).join('').replace(/;\s*$/, '').trim();
  if (query === '') throw invalid('the query is empty');
  checkClosed(Array.from(sqlParts(query, SNOWFLAKE_DIALECT), codeOf).join(''));
  return `SELECT * FROM (\n${query}\n)`;
};
