import { type Client, escapeIdentifier } from 'pg';
import { DatabaseFault } from '../database/database-fault';
import { type MergedColumns, mergedColumns } from '../merging/merged-columns';
import type { RowMerge } from '../database/row-merger';
import { keysOfTable } from './postgresql-columns';
import { DescribedTypes } from './described-types';

/** A table that rows are merged into. */
export interface MergeTable extends MergedColumns {
  /** Quoted, with its schema. */
  readonly place: string;
  /** Whether no two rows have the same key. */
  readonly isUnique: boolean;
  /** Types in the words of the server by the names of columns, without lengths: the column has its own. */
  readonly types: ReadonlyMap<string, string>;
}

/** A column of the catalogue that can be written. */
interface CatalogueColumn {
  readonly name: string;
  readonly nullable: boolean;
  readonly oid: number;
  readonly modifier: number;
  readonly type: string;
}

/** A domain is the type that it is based on, as in the description of a statement; assigning a value checks the domain. */
const COLUMNS = `
  SELECT a.attname AS name, NOT a.attnotnull AS nullable, base.oid::int8::int AS oid,
    base.modifier, format_type(base.oid, -1) AS type
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  CROSS JOIN LATERAL (
    WITH RECURSIVE types AS (
      SELECT a.atttypid AS oid, a.atttypmod AS modifier, 0 AS depth
      UNION ALL
      SELECT t.typbasetype, CASE WHEN t.typtypmod < 0 THEN types.modifier ELSE t.typtypmod END, types.depth + 1
      FROM types JOIN pg_catalog.pg_type t ON t.oid = types.oid AND t.typtype = 'd')
    SELECT oid, modifier FROM types ORDER BY depth DESC LIMIT 1) AS base
  WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'f') AND a.attgenerated = ''
  ORDER BY a.attnum`;

/**
 * Finds the table of a merge and its columns.
 *
 * @throws DatabaseFault TableNotExist, InvalidSettings; else what the driver throws.
 */
export const mergeTable = async (
  client: Client,
  schema: string,
  merge: RowMerge,
): Promise<MergeTable> => {
  const { rows } = await client.query<CatalogueColumn>(COLUMNS, [schema, merge.table]);
  if (rows.length === 0)
    throw new DatabaseFault('TableNotExist', `there is no such table in the schema ${schema}`);
  const described = await DescribedTypes.of(
    client,
    rows.map(({ oid }) => oid),
  );
  const merged = mergedColumns(
    merge,
    rows.map(({ oid, modifier, ...column }) => ({
      ...column,
      counterpart: described.counterpart(oid, modifier),
    })),
  );
  const keys = await keysOfTable(client, schema, merge.table);
  return {
    ...merged,
    place: `${escapeIdentifier(schema)}.${escapeIdentifier(merge.table)}`,
    isUnique: keys.some(([first, ...rest]) => first === merged.key.name && rest.length === 0),
    types: new Map(rows.map(({ name, type }) => [name, type])),
  };
};
