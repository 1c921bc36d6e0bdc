import { DatabaseFault } from '../database/database-fault';
import { sqlParts } from '../placeholders/sql-parts';
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

/**
 * A query in the place of a table of another one. Snowflake has no transactions that only read: nothing that writes can
 * stand there, and no other statement.
 *
 * @throws DatabaseFault InvalidQuery when it would not stay there.
 */
export const asTable = (text: string): string => {
  const query = text.replace(/;\s*$/, '');
  const parts = Array.from(sqlParts(query, SNOWFLAKE_DIALECT)).filter(
    ({ kind }) => kind !== 'comment',
  );
  if (parts.every(({ text: part }) => part.trim() === '')) throw invalid('the query is empty');
  checkClosed(parts.map(({ kind, text: part }) => (kind === 'code' ? part : '')).join(''));
  return `SELECT * FROM (\n${query}\n)`;
};
