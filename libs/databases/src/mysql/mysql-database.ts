import { escapeId } from 'mysql2';
import type { Database, DatabaseQuery, DatabaseRows, TableColumns } from '../database/database';
import { DatabaseFault } from '../database/database-fault';
import { ReadColumns } from '../database/read-columns';
import { rowsOf } from '../database/rows-of';
import { checkPlaceholders, withLiterals } from '../placeholders/placeholders';
import { catalogueColumns, catalogueKeys, originsOf } from './catalogue';
import { mysqlCounterpart } from './column-types';
import { columnsOfPrepared, FLAGS, parametersOf } from './mysql-column';
import { MYSQL_DIALECT } from './mysql-dialect';
import { mysqlLiteral } from './mysql-literal';
import { MysqlMerger } from './mysql-merger';
import { runMysql } from './mysql-rows';
import { mysqlTargetOf } from './mysql-settings';
import { type Cell, MysqlSession } from './session';

/** What runs without giving rows may do what a read-only transaction does not prevent, and is not run. */
const NO_ROWS = 'the statement gives no rows';
const PARAMETERS = 'the statement holds a ? that stands for a value: there is none';

const textOf = ({ text, values: { updatedAt, limit } }: DatabaseQuery): string =>
  withLiterals(text, MYSQL_DIALECT, {
    updated_at: updatedAt === null ? 'NULL' : mysqlLiteral(updatedAt.type, updatedAt.value),
    limit: String(limit),
  });

const run = async (
  session: MysqlSession,
  text: string,
  wanted: DatabaseQuery['wanted'],
): Promise<DatabaseRows> => {
  const statement = await session.prepare(text);
  const described = columnsOfPrepared(statement);
  if (described.length === 0) throw new DatabaseFault('InvalidQuery', NO_ROWS);
  if (parametersOf(statement) > 0) throw new DatabaseFault('InvalidQuery', PARAMETERS);
  const origins = await originsOf(session, described);
  const columns = new ReadColumns<Cell>(
    described.map((column, index) => ({
      name: column.name,
      nullable: (column.flags & FLAGS.NOT_NULL) === 0,
      counterpart: mysqlCounterpart(column, origins[index]),
    })),
  );
  const rows = runMysql(session, statement);
  return rowsOf({
    columns,
    wanted,
    batches: rows.batches,
    faultOf: (error) => session.faultOf(error, 'InvalidQuery'),
    close: () => session.close(!rows.isDone()),
  });
};

const columnsOfTable = async (
  session: MysqlSession,
  database: string,
  table: string,
): Promise<TableColumns> => {
  const catalogue = await catalogueColumns(session, database, table);
  const [first] = catalogue;
  if (first === undefined)
    throw new DatabaseFault('TableNotExist', `there is no such table in the database ${database}`);
  const names = catalogue.map(({ name }) => escapeId(name, true));
  const place = `${escapeId(database, true)}.${escapeId(first.table, true)}`;
  const statement = await session.prepare(`SELECT ${names.join(', ')} FROM ${place}`);
  const described = columnsOfPrepared(statement);
  const columns = new ReadColumns<Cell>(
    described.map((column, index) => ({
      name: column.name,
      nullable: catalogue[index]?.nullable ?? true,
      isRequired: catalogue[index]?.isRequired ?? false,
      counterpart: mysqlCounterpart(column, catalogue[index]),
    })),
  );
  const keys = columns.keysOf((await catalogueKeys(session, database, first.table)).keys);
  return { schema: columns.schema, issues: columns.issues, keys };
};

/** Reads databases of MySQL, and of MariaDB. */
export const mysqlDatabase: Database = {
  check: async (settings, call) => {
    const session = await MysqlSession.open(mysqlTargetOf(settings), call);
    await session.close();
  },
  query: async (query, settings, call) => {
    const text = textOf(query);
    const session = await MysqlSession.open(mysqlTargetOf(settings), call);
    try {
      return await run(session, text, query.wanted);
    } catch (error) {
      await session.close();
      throw session.faultOf(error, 'InvalidQuery');
    }
  },
  columns: async (table, settings, call) => {
    const target = mysqlTargetOf(settings);
    const session = await MysqlSession.open(target, call);
    try {
      return await columnsOfTable(session, target.database, table);
    } catch (error) {
      throw session.faultOf(error);
    } finally {
      await session.close();
    }
  },
  merger: async (merge, settings, call) => {
    const target = mysqlTargetOf(settings);
    return MysqlMerger.open(await MysqlSession.open(target, call), target, merge);
  },
  literal: mysqlLiteral,
  checkPlaceholders: (text) => {
    checkPlaceholders(text, MYSQL_DIALECT);
  },
};
