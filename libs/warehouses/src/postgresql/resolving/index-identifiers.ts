import { escapeIdentifier, escapeLiteral, type Client } from 'pg';
import { sought } from '../filtering/around';
import { qualified } from '../sql/names';
import type { Identifier } from './rules';

/** An index by a column. */
interface Found {
  readonly index: string;
  readonly name: string;
}

interface Present {
  /** Whether the user may make and drop indexes of the table. */
  readonly isOwn: boolean;
  readonly found: readonly Found[];
}

/** How long readers of profiles may be waited for, who wait in turn. */
const LOCK_MS = 500;

/** The indexes by identifiers: no other index of profiles is a hash. */
const selectPresent = (profiles: string): string => `
  SELECT pg_has_role(t.relowner, 'USAGE') AS "isOwn", coalesce((
    SELECT json_agg(json_build_object('index', x.relname, 'name', a.attname))
    FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam
    JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = x.oid AND d.refobjsubid > 0
                    AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
    WHERE i.indrelid = t.oid AND m.amname = 'hash'), '[]') AS found
  FROM pg_class t WHERE t.oid = ${escapeLiteral(profiles)}::regclass`;

/**
 * Makes an index of profiles by each identifier, since people are looked for by them, and drops those by what identifies
 * nobody any more; a user who does not own the table leaves it as it is. A hash takes texts of any length, and serves the
 * comparison of a filter's `is`.
 */
export const indexIdentifiers = async (
  client: Client,
  schema: string,
  identifiers: readonly Identifier[],
): Promise<void> => {
  const profiles = qualified(schema, '_profiles');
  const { rows } = await client.query<Present>(selectPresent(profiles));
  const { isOwn, found } = rows[0] ?? { isOwn: false, found: [] };
  if (!isOwn) return;
  const wanted = new Map(identifiers.map(({ column }) => [column.name, column]));
  const missing = [...wanted.values()].filter(
    (column) => !found.some(({ name }) => name === column.name),
  );
  const statements = [
    ...found
      .filter(({ name }) => !wanted.has(name))
      .map(({ index }) => `DROP INDEX ${qualified(schema, index)}`),
    ...missing
      .map(({ type, name }) => sought(type, escapeIdentifier(name)))
      .map((by) => `CREATE INDEX ON ${profiles} USING hash ((${by}))`),
  ];
  if (statements.length === 0) return;
  await client.query([`SET LOCAL lock_timeout = ${LOCK_MS}`, ...statements].join(';\n'));
};
