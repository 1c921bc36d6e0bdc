import { randomUUID } from 'node:crypto';
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

/** Names of the indexes by identifiers begin so: what somebody else has made is left alone. */
const PREFIX = '_identifier_';

/** A property may be renamed, so the name of an index says nothing of it. */
const newName = (): string => escapeIdentifier(PREFIX + randomUUID());

const selectPresent = (profiles: string): string => `
  SELECT pg_has_role(t.relowner, 'USAGE') AS "isOwn", coalesce((
    SELECT json_agg(json_build_object('index', x.relname, 'name', a.attname))
    FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
    JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = x.oid AND d.refobjsubid > 0
                    AND d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indrelid
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
    WHERE i.indrelid = t.oid AND starts_with(x.relname, '${PREFIX}')), '[]') AS found
  FROM pg_class t WHERE t.oid = ${escapeLiteral(profiles)}::regclass`;

/** What there is to do for the indexes of profiles by identifiers. */
export interface IndexChanges {
  readonly create: readonly string[];
  readonly drop: readonly string[];
}

/**
 * What makes an index of profiles by each identifier, since people are looked for by them, and drops those by what
 * identifies nobody any more; nothing for a user who does not own the table.
 */
export const indexChanges = async (
  client: Client,
  schema: string,
  identifiers: readonly Identifier[],
): Promise<IndexChanges> => {
  const profiles = qualified(schema, '_profiles');
  const { rows } = await client.query<Present>(selectPresent(profiles));
  const { isOwn, found } = rows[0] ?? { isOwn: false, found: [] };
  if (!isOwn) return { create: [], drop: [] };
  const wanted = new Map(identifiers.map(({ column }) => [column.name, column]));
  return {
    create: [...wanted.values()]
      .filter((column) => !found.some(({ name }) => name === column.name))
      .map(({ type, name }) => sought(type, escapeIdentifier(name)))
      .map((by) => `CREATE INDEX ${newName()} ON ${profiles} ((${by}))`),
    drop: found
      .filter(({ name }) => !wanted.has(name))
      .map(({ index }) => `DROP INDEX ${qualified(schema, index)}`),
  };
};

/** Statements that give up where somebody reads for long. */
export const unlessRead = (statements: readonly string[]): readonly string[] => [
  `SET LOCAL lock_timeout = ${LOCK_MS}`,
  ...statements,
];
