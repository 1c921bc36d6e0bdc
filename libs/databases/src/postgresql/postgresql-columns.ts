import { type Client, escapeIdentifier, type FieldDef } from 'pg';
import type { TableColumns } from '../database/database';
import { DatabaseFault } from '../database/database-fault';
import { ReadColumns } from '../database/read-columns';
import { Description } from './statement';
import { DescribedTypes } from './described-types';

/** A column of the catalogue. */
interface CatalogueColumn {
  readonly name: string;
  readonly nullable: boolean;
  readonly isRequired: boolean;
}

const COLUMNS = `
  SELECT a.attname AS name, NOT a.attnotnull AS nullable,
    a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AND a.attgenerated = '' AS "isRequired"
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  ORDER BY a.attnum`;

/** Keys of whole columns, without conditions, that hold after every statement. */
const KEYS = `
  SELECT ARRAY(SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
      JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
      WHERE k.place <= i.indnkeyatts ORDER BY k.place) AS names
  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = $2 AND i.indisunique AND i.indisvalid
    AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
  ORDER BY i.indisprimary DESC, i.indexrelid`;

const describe = async (client: Client, text: string): Promise<readonly FieldDef[]> =>
  client.query(new Description(text)).columns;

/** The properties that columns of a statement become. The protocol does not tell which of them are never null. */
export const columnsOfStatement = async (
  client: Client,
  text: string,
): Promise<ReadColumns<string> | undefined> => {
  const fields = await describe(client, text);
  if (fields.length === 0) return undefined;
  const types = await DescribedTypes.of(
    client,
    fields.map(({ dataTypeID }) => dataTypeID),
  );
  return new ReadColumns(
    fields.map(({ name, dataTypeID, dataTypeModifier }) => ({
      name,
      nullable: true,
      counterpart: types.counterpart(dataTypeID, dataTypeModifier),
    })),
  );
};

/** Names of the columns of each key of a table, the primary key first. */
export const keysOfTable = async (
  client: Client,
  schema: string,
  table: string,
): Promise<readonly (readonly string[])[]> => {
  const { rows } = await client.query<{ readonly names: readonly string[] }>(KEYS, [schema, table]);
  return rows.map(({ names }) => names);
};

/**
 * The columns of a table or a view, and its keys.
 *
 * @throws DatabaseFault TableNotExist; else what the driver throws.
 */
export const columnsOfTable = async (
  client: Client,
  schema: string,
  table: string,
): Promise<TableColumns> => {
  const { rows } = await client.query<CatalogueColumn>(COLUMNS, [schema, table]);
  if (rows.length === 0)
    throw new DatabaseFault('TableNotExist', `there is no such table in the schema ${schema}`);
  const place = `${escapeIdentifier(schema)}.${escapeIdentifier(table)}`;
  const names = rows.map(({ name }) => escapeIdentifier(name));
  const fields = await describe(client, `SELECT ${names.join(', ')} FROM ${place}`);
  const types = await DescribedTypes.of(
    client,
    fields.map(({ dataTypeID }) => dataTypeID),
  );
  const columns = new ReadColumns(
    rows.map((row, index) => {
      const { dataTypeID = 0, dataTypeModifier = -1 } = fields[index] ?? {};
      return { ...row, counterpart: types.counterpart(dataTypeID, dataTypeModifier) };
    }),
  );
  const keys = await keysOfTable(client, schema, table);
  return {
    schema: columns.schema,
    issues: columns.issues,
    keys: columns.keysOf(keys),
  };
};
