import type { Database, DatabaseQuery, DatabaseRows } from '../database/database';
import { DatabaseFault } from '../database/database-fault';
import { rowsOf } from '../database/rows-of';
import { checkPlaceholders, withLiterals } from '../placeholders/placeholders';
import { columnsOfStatement, columnsOfTable } from './postgresql-columns';
import { POSTGRESQL_DIALECT } from './postgresql-dialect';
import { postgresqlLiteral } from './postgresql-literal';
import { PostgresqlMerger } from './postgresql-merger';
import { type PostgresqlTarget, postgresqlTargetOf } from './postgresql-settings';
import { PostgresqlSession } from './session';
import { Rows } from './statement';

const NO_ROWS = 'the statement gives no rows';

const textOf = ({ text, values: { updatedAt, limit } }: DatabaseQuery): string =>
  withLiterals(text, POSTGRESQL_DIALECT, {
    updated_at: updatedAt === null ? 'NULL' : postgresqlLiteral(updatedAt.type, updatedAt.value),
    limit: String(limit),
  });

const checkSchema = async (
  { client }: PostgresqlSession,
  { schema }: PostgresqlTarget,
): Promise<void> => {
  const { rowCount } = await client.query(
    'SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1',
    [schema],
  );
  if (rowCount === 0) throw new DatabaseFault('Refused', 'schema does not exist');
};

const run = async (
  session: PostgresqlSession,
  text: string,
  wanted: DatabaseQuery['wanted'],
): Promise<DatabaseRows> => {
  const { client } = session;
  const columns = await columnsOfStatement(client, text);
  if (columns === undefined) {
    // The server says why it does not do what would write.
    const alone = { text, queryMode: 'extended' };
    await client.query(alone);
    throw new DatabaseFault('InvalidQuery', NO_ROWS);
  }
  const rows = client.query(new Rows(session.client.answers));
  return rowsOf({
    columns,
    wanted,
    batches: rows.batches(),
    faultOf: (error) => session.faultOf(error, 'InvalidQuery'),
    close: () => session.close(!rows.isDone),
  });
};

/** Reads databases of PostgreSQL 13 and later. */
export const postgresqlDatabase: Database = {
  check: async (settings, call) => {
    const target = postgresqlTargetOf(settings);
    const session = await PostgresqlSession.open(target, call);
    try {
      await checkSchema(session, target);
    } catch (error) {
      throw session.faultOf(error);
    } finally {
      await session.close();
    }
  },
  query: async (query, settings, call) => {
    const text = textOf(query);
    const session = await PostgresqlSession.open(postgresqlTargetOf(settings), call);
    try {
      return await run(session, text, query.wanted);
    } catch (error) {
      const fault = session.faultOf(error, 'InvalidQuery');
      await session.close();
      throw fault;
    }
  },
  columns: async (table, settings, call) => {
    const target = postgresqlTargetOf(settings);
    const session = await PostgresqlSession.open(target, call);
    try {
      return await columnsOfTable(session.client, target.schema, table);
    } catch (error) {
      throw session.faultOf(error);
    } finally {
      await session.close();
    }
  },
  merger: async (merge, settings, call) => {
    const target = postgresqlTargetOf(settings);
    return PostgresqlMerger.open(await PostgresqlSession.open(target, call), target, merge);
  },
  literal: postgresqlLiteral,
  checkPlaceholders: (text) => {
    checkPlaceholders(text, POSTGRESQL_DIALECT);
  },
};
