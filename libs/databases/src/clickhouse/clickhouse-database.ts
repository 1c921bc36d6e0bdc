import type { Database, DatabaseQuery, DatabaseRows } from '../database/database';
import { ReadColumns } from '../database/read-columns';
import { rowsOf } from '../database/rows-of';
import { checkPlaceholders, withLiterals } from '../placeholders/placeholders';
import { columnsOfTable } from './catalogue';
import type { Cell } from './clickhouse-answer';
import { CLICKHOUSE_DIALECT } from './clickhouse-dialect';
import { clickhouseLiteral } from './clickhouse-literal';
import { ClickhouseMerger } from './clickhouse-merger';
import { clickhouseTargetOf } from './clickhouse-settings';
import { clickhouseCounterpart } from './column-types';
import { ClickhouseSession } from './session';

const textOf = ({ text, values: { updatedAt, limit } }: DatabaseQuery): string =>
  withLiterals(text, CLICKHOUSE_DIALECT, {
    updated_at: updatedAt === null ? 'NULL' : clickhouseLiteral(updatedAt.type, updatedAt.value),
    limit: String(limit),
  });

const run = async (
  session: ClickhouseSession,
  text: string,
  wanted: DatabaseQuery['wanted'],
): Promise<DatabaseRows> => {
  const statement = await session.read(text);
  try {
    const { answer } = statement;
    const columns = new ReadColumns<Cell>(
      answer.columns.map(({ name, type }) => ({
        name,
        ...clickhouseCounterpart(type, session.times),
      })),
    );
    return rowsOf({
      columns,
      wanted,
      batches: answer.batches(),
      faultOf: (error) => session.faultOf(error, 'InvalidQuery'),
      close: () => statement.close(),
    });
  } catch (error) {
    await statement.close();
    throw error;
  }
};

/** Reads databases of ClickHouse, and inserts into them, through its HTTP interface. */
export const clickhouseDatabase: Database = {
  check: async (settings, call) => {
    await ClickhouseSession.open(clickhouseTargetOf(settings), call);
  },
  query: async (query, settings, call) => {
    const text = textOf(query);
    const session = await ClickhouseSession.open(clickhouseTargetOf(settings), call);
    try {
      return await run(session, text, query.wanted);
    } catch (error) {
      throw session.faultOf(error, 'InvalidQuery');
    }
  },
  columns: async (table, settings, call) => {
    const session = await ClickhouseSession.open(clickhouseTargetOf(settings), call);
    try {
      return await columnsOfTable(session, table);
    } catch (error) {
      throw session.faultOf(error);
    }
  },
  merger: async (merge, settings, call) =>
    ClickhouseMerger.open(await ClickhouseSession.open(clickhouseTargetOf(settings), call), merge),
  literal: clickhouseLiteral,
  checkPlaceholders: (text) => {
    checkPlaceholders(text, CLICKHOUSE_DIALECT);
  },
};
