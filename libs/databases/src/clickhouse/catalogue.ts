import type { TableColumns } from '../database/database';
import { DatabaseFault } from '../database/database-fault';
import { ReadColumns } from '../database/read-columns';
import { type Cell, textIn } from './clickhouse-answer';
import { clickhouseText } from './clickhouse-literal';
import { clickhouseCounterpart } from './column-types';
import type { ClickhouseSession } from './session';

/** Engines that keep, of the rows with one sorting key, the one that came last. */
const REPLACING = /ReplacingMergeTree$/;

/** Defaults of columns that no row can be inserted with. */
const COMPUTED: ReadonlySet<string> = new Set(['MATERIALIZED', 'ALIAS', 'EPHEMERAL']);

/** A column of a table. */
interface CatalogueColumn {
  readonly name: string;
  /** In the words of the server. */
  readonly type: string;
  /** Whether its values are computed and cannot be given. */
  readonly isComputed: boolean;
}

/** A table of the database of a target. */
export interface CatalogueTable {
  readonly columns: readonly CatalogueColumn[];
  /** Names of the columns by which it keeps one row; undefined: it keeps all rows. */
  readonly replacesBy: readonly string[] | undefined;
}

/** `a, b`, or nothing that can be a key: an expression. */
const namesIn = (sortingKey: string): readonly string[] | undefined => {
  const names = sortingKey.split(/,\s*/).map((name) => name.replace(/^`(.*)`$/, '$1'));
  return names.every((name) => name !== '' && !/[()]/.test(name)) ? names : undefined;
};

/**
 * What the server knows of a table.
 *
 * @throws DatabaseFault TableNotExist; else what the session fails with.
 */
export const tableNamed = async (
  session: ClickhouseSession,
  table: string,
): Promise<CatalogueTable> => {
  const { database } = session.target;
  const missing = new DatabaseFault(
    'TableNotExist',
    `there is no such table in the database ${database}`,
  );
  if (table.includes('\0')) throw missing;
  const [db, name] = [clickhouseText(database), clickhouseText(table)];
  const columns = await session.rows(
    `SELECT name, type, default_kind FROM system.columns WHERE database = ${db} AND table = ${name}`,
  );
  const [engine] = await session.rows(
    `SELECT engine, sorting_key FROM system.tables WHERE database = ${db} AND name = ${name}`,
  );
  if (columns.length === 0) throw missing;
  const [kind = '', key = ''] = (engine ?? []).map(textIn);
  return {
    columns: columns
      .map((row) => row.map(textIn))
      .map(([column = '', type = '', defaultKind = '']) => ({
        name: column,
        type,
        isComputed: COMPUTED.has(defaultKind),
      })),
    replacesBy: REPLACING.test(kind) ? namesIn(key) : undefined,
  };
};

/** The properties that the columns of a table become. */
export const columnsOfTable = async (
  session: ClickhouseSession,
  table: string,
): Promise<TableColumns> => {
  const { columns, replacesBy } = await tableNamed(session, table);
  const read = new ReadColumns<Cell>(
    columns.map(({ name, type }) => ({ name, ...clickhouseCounterpart(type, session.times) })),
  );
  const keys = read.keysOf(replacesBy === undefined ? [] : [replacesBy]);
  return { schema: read.schema, issues: read.issues, keys };
};
