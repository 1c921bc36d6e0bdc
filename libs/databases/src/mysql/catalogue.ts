import type { MysqlColumn } from './mysql-column';
import type { Cell, MysqlSession } from './session';

/** What the catalogue knows of a column, and the protocol does not tell. */
export interface CatalogueColumn {
  readonly table: string;
  readonly name: string;
  /** In the words of the server, such as `enum('a','b')`. */
  readonly type: string;
  /** Characters; undefined for what is no text. */
  readonly maxLength: number | undefined;
  readonly nullable: boolean;
  readonly isRequired: boolean;
  /** Whether a row that does not give it has a value that no other has, or none. */
  readonly isOwn: boolean;
}

const COLUMNS = `
  SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, IS_NULLABLE = 'YES',
    IS_NULLABLE = 'NO' AND COLUMN_DEFAULT IS NULL AND EXTRA NOT LIKE '%auto_increment%'
      AND EXTRA NOT LIKE '%GENERATED%',
    EXTRA LIKE '%auto_increment%'
      OR IS_NULLABLE = 'YES' AND COALESCE(COLUMN_DEFAULT, 'NULL') = 'NULL' AND EXTRA NOT LIKE '%GENERATED%'
  FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?
  ORDER BY ORDINAL_POSITION`;

const KEYS = `
  SELECT INDEX_NAME, COLUMN_NAME, SUB_PART IS NOT NULL FROM information_schema.STATISTICS
  WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0
  ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX`;

const columnOf = ([
  table,
  name,
  type,
  maxLength,
  nullable,
  required,
  own,
]: readonly (Cell | null)[]) => ({
  table: String(table),
  name: String(name),
  type: String(type),
  maxLength: maxLength === undefined || maxLength === null ? undefined : Number(maxLength),
  nullable: Number(nullable) === 1,
  isRequired: Number(required) === 1,
  isOwn: Number(own) === 1,
});

/** Names that differ by case are two tables on some servers, and one on others. */
const ofTable = (columns: readonly CatalogueColumn[], name: string): readonly CatalogueColumn[] => {
  const exact = columns.filter(({ table }) => table === name);
  return exact.length > 0 ? exact : columns;
};

/** The columns of a table or a view in their order; empty when there is no such table. */
export const catalogueColumns = async (
  session: MysqlSession,
  schema: string,
  table: string,
): Promise<readonly CatalogueColumn[]> =>
  ofTable((await session.rows(COLUMNS, [schema, table])).map(columnOf), table);

/** The unique keys of a table. */
interface CatalogueKeys {
  /** Names of the columns of each, the primary key first. */
  readonly keys: readonly (readonly string[])[];
  /** Whether that is all; a prefix of a column, or an expression, is unique, and the column is not. */
  readonly isComplete: boolean;
}

/** The unique keys of a table. */
export const catalogueKeys = async (
  session: MysqlSession,
  schema: string,
  table: string,
): Promise<CatalogueKeys> => {
  const keys = new Map<string, string[]>();
  const partial = new Set<string>();
  for (const [key, column, isPart] of await session.rows(KEYS, [schema, table])) {
    const name = String(key);
    keys.set(name, [...(keys.get(name) ?? []), String(column)]);
    if (Number(isPart) === 1 || column === null) partial.add(name);
  }
  return {
    keys: [...keys].filter(([name]) => !partial.has(name)).map(([, columns]) => columns),
    isComplete: partial.size === 0,
  };
};

const keyOf = (...names: readonly string[]): string => JSON.stringify(names);

/** What the catalogue knows of the columns of a statement; undefined for computed ones. */
export const originsOf = async (
  session: MysqlSession,
  columns: readonly MysqlColumn[],
): Promise<readonly (CatalogueColumn | undefined)[]> => {
  const found = new Map<string, CatalogueColumn>();
  const tables = new Map(
    columns
      .filter(({ orgTable }) => orgTable !== '')
      .map(({ schema, orgTable }) => [keyOf(schema, orgTable), { schema, orgTable }]),
  );
  for (const { schema, orgTable } of tables.values())
    for (const column of await catalogueColumns(session, schema, orgTable))
      found.set(keyOf(schema, orgTable, column.name), column);
  return columns.map(({ schema, orgTable, orgName }) =>
    found.get(keyOf(schema, orgTable, orgName)),
  );
};
