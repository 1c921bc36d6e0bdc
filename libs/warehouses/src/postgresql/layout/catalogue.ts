import type { Client } from 'pg';

/** A column as the server has it. */
interface FoundColumn {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

/** An index as the server has it. */
interface FoundIndex {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  readonly primary: boolean;
}

/** A relation as the server has it. */
export interface FoundRelation {
  readonly name: string;
  /** As `pg_class.relkind`: `r` table, `v` view. */
  readonly kind: string;
  readonly columns: readonly FoundColumn[];
  /** Those that are valid, over whole rows, and of columns only. */
  readonly indexes: readonly FoundIndex[];
  /** The columns that each condition is on. */
  readonly checks: readonly (readonly string[])[];
}

const COLUMNS = `
  SELECT json_agg(json_build_object('name', attname, 'required', attnotnull,
                                    'type', format_type(atttypid, atttypmod)) ORDER BY attnum)
  FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped`;

const NAMES_OF = (relation: string, numbers: string): string => `
  SELECT json_agg(a.attname ORDER BY k.place)
  FROM unnest(${numbers}) WITH ORDINALITY AS k (number, place)
  JOIN pg_attribute a ON a.attrelid = ${relation} AND a.attnum = k.number`;

const INDEXES = `
  SELECT json_agg(json_build_object('name', x.relname, 'unique', i.indisunique, 'primary', i.indisprimary,
                                    'columns', (${NAMES_OF('c.oid', 'i.indkey::int2[]')})))
  FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam
  WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
    AND m.amname = 'btree'`;

const CHECKS = `
  SELECT json_agg((${NAMES_OF('c.oid', 'k.conkey')}))
  FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.convalidated`;

/** The relations of a schema by their names; indexes, sequences and types are none of their own. */
export const readCatalogue = async (
  client: Client,
  schema: string,
): Promise<ReadonlyMap<string, FoundRelation>> => {
  const { rows } = await client.query<FoundRelation>(
    `SELECT c.relname AS name, c.relkind AS kind, coalesce((${COLUMNS}), '[]') AS columns,
            coalesce((${INDEXES}), '[]') AS indexes, coalesce((${CHECKS}), '[]') AS checks
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
    [schema],
  );
  return new Map(rows.map((row) => [row.name, row]));
};
