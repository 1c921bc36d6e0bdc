import { type Client, escapeIdentifier } from 'pg';

interface Grant {
  readonly privilege: string;
  /** `null`: on the whole view. */
  readonly column: string | null;
  /** As SQL. */
  readonly grantee: string;
  readonly grantable: boolean;
}

const statement = (view: string, { privilege, grantee, grantable }: Grant, on: string): string =>
  `GRANT ${privilege}${on} ON ${view} TO ${grantee}${grantable ? ' WITH GRANT OPTION' : ''}`;

const same = (column: string): string => column;

/**
 * What was granted on a view and its columns, as statements that grant it again.
 *
 * @param nameOf what a column is called when they are executed; undefined: it is gone, and so are the rights on it.
 */
export const grantsOn = async (
  client: Client,
  view: string,
  nameOf: (column: string) => string | undefined = same,
): Promise<readonly string[]> => {
  const { rows } = await client.query<Grant>(
    `WITH rights AS (
       SELECT a.*, NULL AS name FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = $1::regclass
       UNION ALL
       SELECT a.*, t.attname FROM pg_attribute t, aclexplode(t.attacl) a
       WHERE t.attrelid = $1::regclass AND NOT t.attisdropped)
     SELECT privilege_type AS privilege, name AS column, is_grantable AS grantable,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee
     FROM rights WHERE grantee <> (SELECT relowner FROM pg_class WHERE oid = $1::regclass)`,
    [view],
  );
  return rows.flatMap((grant) => {
    if (grant.column === null) return [statement(view, grant, '')];
    const name = nameOf(grant.column);
    return name === undefined ? [] : [statement(view, grant, ` (${escapeIdentifier(name)})`)];
  });
};
