import type { Client } from 'pg';

/** The most sentences returned: enough to work on. */
const MAX_TOLD = 500;

/** Attributes with which a role can write, or give itself the right to. */
const ATTRIBUTES = ['super', 'createrole', 'createdb', 'bypassrls', 'replication'] as const;

/** Predefined roles that let their members change something, or read files. Source: PostgreSQL, "Predefined Roles". */
const WRITING_ROLES = [
  'pg_read_server_files',
  'pg_write_all_data',
  'pg_write_server_files',
  'pg_execute_server_program',
  'pg_create_subscription',
  'pg_maintain',
];

/**
 * The user that logged in, whoever it acts as, and every role that it is a member of, inherited or not: `SET ROLE`
 * gives what is not.
 */
const ROLES = `
  WITH RECURSIVE roles AS (
    SELECT oid, rolname FROM pg_roles WHERE rolname = session_user
    UNION
    SELECT r.oid, r.rolname FROM roles
    JOIN pg_auth_members m ON m.member = roles.oid
    JOIN pg_roles r ON r.oid = m.roleid
  ),
  holders AS (SELECT oid, format('role %I', rolname) AS holder FROM roles
              UNION ALL SELECT 0, 'PUBLIC')`;

const BY_ATTRIBUTE = `
  SELECT format('role %I is %s', r.rolname, upper(a.name)) AS sentence
  FROM roles JOIN pg_roles r USING (oid)
  CROSS JOIN LATERAL (VALUES ${ATTRIBUTES.map((name) => `('${name}', r.rol${name})`).join(', ')})
    AS a (name, held)
  WHERE a.held`;

const BY_MEMBERSHIP = `
  SELECT format('is a member of %I', rolname) FROM roles WHERE rolname = ANY ($1)`;

const BY_OWNERSHIP = `
  SELECT format('role %I owns %s', r.rolname, pg_describe_object(d.classid, d.objid, d.objsubid))
  FROM roles r JOIN pg_shdepend d ON d.refobjid = r.oid
  LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
  WHERE d.refclassid = 'pg_authid'::regclass AND d.deptype = 'o'
    AND d.dbid IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
    AND coalesce(c.relpersistence <> 't', true)`;

/** Relations outside the system catalogues, with their schema; what is temporary does not count. */
const RELATIONS = `
  SELECT c.* , n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND c.relpersistence <> 't'`;

/** Rights on one kind of objects. @param acl the object's own list, or the one that it has by default. */
const granted = (object: string, from: string, acl: string, rights: readonly string[]): string => `
  SELECT format('%s may %s on %s', h.holder,
                string_agg(DISTINCT a.privilege_type, ', ' ORDER BY a.privilege_type), ${object})
  FROM (${from}) o CROSS JOIN LATERAL aclexplode(${acl}) a JOIN holders h ON h.oid = a.grantee
  WHERE a.privilege_type IN (${rights.map((right) => `'${right}'`).join(', ')})
  GROUP BY h.holder, ${object}`;

/** Functions that lead to files of the server, which not everybody may call. */
const OF_FILES = [
  'pg_read_file',
  'pg_read_binary_file',
  'pg_ls_dir',
  'pg_stat_file',
  'lo_import',
  'lo_export',
];

const BY_GRANTS = [
  granted(
    `format('%I.%I', o.nspname, o.relname)`,
    `${RELATIONS} AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
    `o.relacl`,
    ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN'],
  ),
  granted(
    `format('%I.%I.%I', o.nspname, o.relname, o.attname)`,
    `SELECT t.nspname, t.relname, att.attname, att.attacl
     FROM (${RELATIONS}) t JOIN pg_attribute att ON att.attrelid = t.oid AND NOT att.attisdropped`,
    `o.attacl`,
    ['INSERT', 'UPDATE', 'REFERENCES'],
  ),
  granted(
    `format('sequence %I.%I', o.nspname, o.relname)`,
    `${RELATIONS} AND c.relkind = 'S'`,
    `o.relacl`,
    ['UPDATE'],
  ),
  granted(
    `format('schema %I', o.nspname)`,
    `SELECT nspname, nspacl FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'`,
    `o.nspacl`,
    ['CREATE'],
  ),
  granted(
    `format('database %I', o.datname)`,
    `SELECT datname, datacl FROM pg_database WHERE datname = current_database()`,
    `o.datacl`,
    ['CREATE'],
  ),
  granted(
    `o.oid::regprocedure`,
    `SELECT oid, proacl FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
     AND proname IN (${OF_FILES.map((name) => `'${name}'`).join(', ')})`,
    `o.proacl`,
    ['EXECUTE'],
  ),
];

const STATEMENT = `${ROLES}
  ${[BY_ATTRIBUTE, BY_MEMBERSHIP, BY_OWNERSHIP, ...BY_GRANTS].join('\n  UNION ALL')}
  ORDER BY 1 LIMIT ${String(MAX_TOLD)}`;

/**
 * What lets the user of the connection write, or read files of the server, by the catalogue alone: attributes and
 * memberships of its roles, what they own, and what was granted to them or to everybody. At most 500 sentences.
 */
export const writingRights = async (client: Client): Promise<readonly string[]> => {
  const { rows } = await client.query<{ sentence: string }>(STATEMENT, [WRITING_ROLES]);
  return rows.map(({ sentence }) => sentence);
};
