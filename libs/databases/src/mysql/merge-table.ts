import { escapeId } from 'mysql2';
import { DatabaseFault } from '../database/database-fault';
import { type MergedColumns, mergedColumns } from '../merging/merged-columns';
import type { RowMerge } from '../database/row-merger';
import { type CatalogueColumn, catalogueColumns, catalogueKeys } from './catalogue';
import { mysqlCounterpart } from './column-types';
import { columnsOfPrepared } from './mysql-column';
import type { MysqlSession } from './session';

/** A table that rows are merged into. */
export interface MergeTable extends MergedColumns {
  /** Quoted, with its database. */
  readonly place: string;
  /** Whether a row that is there already can only be the one with the key. */
  readonly isUnique: boolean;
  /** Bytes that a statement has, as far as a row lets it. */
  readonly maxBytes: number;
  /** Bytes that a statement may have. */
  readonly maxPacket: number;
}

/** Engines whose changes cannot be taken back. */
const WITHOUT_TRANSACTIONS = /^(?:MyISAM|Aria|MEMORY|CSV|ARCHIVE|MRG_MyISAM|BLACKHOLE)$/i;

/** The largest statement that is made, where the server takes that. */
const MAX_BYTES = 4_194_304;
/** What the server counts beside the text. */
const SPARE_BYTES = 1_024;

const ENGINE = `
  SELECT ENGINE, @@max_allowed_packet FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`;

/** Values of such a column are no other row's when they are not given. */
const isFree = (column: CatalogueColumn | undefined, written: ReadonlySet<string>): boolean =>
  column !== undefined && !written.has(column.name) && column.isOwn;

/**
 * `ON DUPLICATE KEY UPDATE` changes the row that any key of the table finds: it may only be used when no key but the
 * given one can find any.
 */
const isOnlyKey = (
  { key, columns }: MergedColumns,
  catalogue: readonly CatalogueColumn[],
  keys: readonly (readonly string[])[],
): boolean => {
  const written = new Set(columns.map(({ name }) => name));
  const byName = new Map(catalogue.map((column) => [column.name, column]));
  const isKey = ([first, ...rest]: readonly string[]): boolean =>
    first === key.name && rest.length === 0;
  return (
    keys.some(isKey) &&
    keys.every((each) => isKey(each) || each.some((name) => isFree(byName.get(name), written)))
  );
};

/**
 * Finds the table of a merge and its columns.
 *
 * @throws DatabaseFault TableNotExist, InvalidSettings; else what the driver throws.
 */
export const mergeTable = async (
  session: MysqlSession,
  database: string,
  merge: RowMerge,
): Promise<MergeTable> => {
  const catalogue = await catalogueColumns(session, database, merge.table);
  const [first] = catalogue;
  if (first === undefined)
    throw new DatabaseFault('TableNotExist', `there is no such table in the database ${database}`);
  const [[engine, packet] = []] = await session.rows(ENGINE, [database, first.table]);
  if (WITHOUT_TRANSACTIONS.test(String(engine)))
    throw new DatabaseFault('InvalidSettings', `tables of ${String(engine)} have no transactions`);
  const names = catalogue.map(({ name }) => escapeId(name, true));
  const place = `${escapeId(database, true)}.${escapeId(first.table, true)}`;
  const described = columnsOfPrepared(
    await session.prepare(`SELECT ${names.join(', ')} FROM ${place}`),
  );
  const merged = mergedColumns(
    merge,
    described.map((column, index) => ({
      name: column.name,
      nullable: catalogue[index]?.nullable ?? true,
      counterpart: mysqlCounterpart(column, catalogue[index]),
    })),
  );
  const maxPacket = Number(packet) - SPARE_BYTES;
  const { keys, isComplete } = await catalogueKeys(session, database, first.table);
  return {
    ...merged,
    place,
    isUnique: isComplete && isOnlyKey(merged, catalogue, keys),
    maxBytes: Math.min(maxPacket, MAX_BYTES),
    maxPacket,
  };
};
