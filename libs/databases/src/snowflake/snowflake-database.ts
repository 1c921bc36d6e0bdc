import type { Database, DatabaseQuery, DatabaseRows, TableColumns } from '../database/database';
import { DatabaseFault } from '../database/database-fault';
import { ReadColumns } from '../database/read-columns';
import { rowsOf } from '../database/rows-of';
import { checkPlaceholders, withLiterals } from '../placeholders/placeholders';
import { asTable } from './as-table';
import { catalogueKeys, catalogueTable } from './catalogue';
import { type Cell, snowflakeCounterpart } from './column-types';
import type { DriverColumn } from './driver';
import { SnowflakeSession } from './session';
import { SNOWFLAKE_DIALECT } from './snowflake-dialect';
import { snowflakeLiteral } from './snowflake-literal';
import { SnowflakeMerger } from './snowflake-merger';
import { batchesOf } from './snowflake-rows';
import { type SnowflakePlace, snowflakePlace, snowflakeTargetOf } from './snowflake-settings';

const textOf = ({ text, values: { updatedAt, limit } }: DatabaseQuery): string =>
  withLiterals(text, SNOWFLAKE_DIALECT, {
    updated_at: updatedAt === null ? 'NULL' : snowflakeLiteral(updatedAt.type, updatedAt.value),
    limit: String(limit),
  });

const counterpartOf = (column: DriverColumn) =>
  snowflakeCounterpart({
    ...{ name: column.getType(), precision: column.getPrecision(), scale: column.getScale() },
    length: null,
  });

const run = async (session: SnowflakeSession, text: string): Promise<DatabaseRows> => {
  const { columns: described, stream } = await session.run(asTable(text));
  const columns = new ReadColumns<Cell>(
    described.map((column) => ({
      name: column.getName(),
      nullable: column.isNullable(),
      counterpart: counterpartOf(column),
    })),
  );
  return rowsOf({
    columns,
    batches: batchesOf(stream),
    faultOf: (error) => session.faultOf(error, 'InvalidQuery'),
    close: async () => {
      stream.destroy();
      await session.close();
    },
  });
};

const columnsOfTable = async (session: SnowflakeSession, name: string): Promise<TableColumns> => {
  const table = await catalogueTable(session, name);
  if (table === undefined)
    throw new DatabaseFault(
      'TableNotExist',
      `there is no such table in the schema ${session.schema}`,
    );
  const columns = new ReadColumns<Cell>(table.columns);
  const keys = columns.keysOf(await catalogueKeys(session, table));
  return { schema: columns.schema, issues: columns.issues, keys };
};

/**
 * Reads databases of Snowflake, and merges into them.
 *
 * @param placeOf where accounts are; default: at Snowflake.
 */
export const createSnowflakeDatabase = (placeOf: SnowflakePlace): Database => ({
  check: async (settings, call) => {
    const session = await SnowflakeSession.open(snowflakeTargetOf(settings, placeOf), call);
    await session.close();
  },
  query: async (query, settings, call) => {
    const text = textOf(query);
    const session = await SnowflakeSession.open(snowflakeTargetOf(settings, placeOf), call);
    try {
      return await run(session, text);
    } catch (error) {
      await session.close();
      throw session.faultOf(error, 'InvalidQuery');
    }
  },
  columns: async (table, settings, call) => {
    const session = await SnowflakeSession.open(snowflakeTargetOf(settings, placeOf), call);
    try {
      return await columnsOfTable(session, table);
    } catch (error) {
      throw session.faultOf(error);
    } finally {
      await session.close();
    }
  },
  merger: async (merge, settings, call) => {
    const target = snowflakeTargetOf(settings, placeOf);
    return SnowflakeMerger.open(await SnowflakeSession.open(target, call), target, merge);
  },
  literal: snowflakeLiteral,
  checkPlaceholders: (text) => {
    checkPlaceholders(text, SNOWFLAKE_DIALECT);
  },
});

/** Reads databases of Snowflake, and merges into them. */
export const snowflakeDatabase = createSnowflakeDatabase(snowflakePlace);
