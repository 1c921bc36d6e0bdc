import { type Cell, snowflakeName, type SnowflakeSession } from '@penstock/databases';

/** The most sentences returned: enough to work on. */
const MAX_TOLD = 500;

/** The most roles that are looked at: a role may inherit from very many. */
const MAX_ROLES = 200;

/**
 * Rights with which a role can write, or give itself the right to. Source: Snowflake, "Access control privileges"; the
 * specification of the warehouse, "Settings".
 */
const WRITING = new Set([
  ...['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'OWNERSHIP', 'EVOLVE SCHEMA', 'WRITE'],
  ...['MANAGE GRANTS', 'ALL', 'ALL PRIVILEGES'],
]);

/** A right on an object, or a role that is inherited. */
interface Grant {
  readonly privilege: string;
  /** Such as `TABLE`. */
  readonly kind: string;
  readonly name: string;
}

/** A role of the account, or of a database, as SQL names it. */
interface Role {
  readonly kind: 'ROLE' | 'DATABASE ROLE';
  readonly name: string;
}

const grantsTo = async (session: SnowflakeSession, role: Role): Promise<readonly Grant[]> => {
  const { columns, stream } = await session.run(`SHOW GRANTS TO ${role.kind} ${role.name}`);
  const names = columns.map((column) => column.getName().toLowerCase());
  const at = (row: readonly (Cell | null)[], name: string): string =>
    row[names.indexOf(name)] ?? '';
  const rows = (await stream.toArray()) as readonly (readonly (Cell | null)[])[];
  return rows.map((row) => ({
    privilege: at(row, 'privilege').toUpperCase(),
    kind: at(row, 'granted_on').toUpperCase().replaceAll('_', ' '),
    name: at(row, 'name'),
  }));
};

/** A procedure may do what its owner may. */
const writes = ({ privilege, kind }: Grant): boolean =>
  WRITING.has(privilege) ||
  privilege.startsWith('CREATE ') ||
  (privilege === 'USAGE' && kind === 'PROCEDURE');

const isRole = ({ privilege, kind }: Grant): boolean =>
  (privilege === 'USAGE' || privilege === 'OWNERSHIP') && kind.endsWith('ROLE');

/** A name as the server tells it: between quotes where it has to be. */
const quoted = (name: string): string =>
  name
    .match(/"(?:[^"]|"")*"|[^.]+/g)
    ?.map((part) => (part.startsWith('"') ? part : snowflakeName(part)))
    .join('.') ?? '""';

/** The role that is inherited; undefined: its rights cannot be looked at. */
const inherited = ({ kind, name }: Grant): Role | undefined =>
  kind === 'ROLE' || kind === 'DATABASE ROLE' ? { kind, name: quoted(name) } : undefined;

/** What a role may write, by objects. */
const sentencesOf = ({ kind, name }: Role, grants: readonly Grant[]): readonly string[] => {
  const holder = `${kind.toLowerCase()} ${name}`;
  const rights = new Map<string, string[]>();
  for (const grant of grants.filter(writes)) {
    const object = `${grant.kind} ${grant.name}`;
    rights.set(object, [...(rights.get(object) ?? []), grant.privilege]);
  }
  const unknown = grants.filter((grant) => isRole(grant) && inherited(grant) === undefined);
  return [
    ...Array.from(rights, ([object, all]) => `${holder} may ${all.sort().join(', ')} on ${object}`),
    ...unknown.map(
      (grant) => `${holder} has the ${grant.kind} ${grant.name}, whose rights are not known`,
    ),
  ];
};

/**
 * What lets the role of the session write, or give itself the right to, by the grants to it, to every role that it inherits,
 * and to everybody. At most 500 sentences.
 */
export const writingRights = async (session: SnowflakeSession): Promise<readonly string[]> => {
  const [[current] = []] = await session.rows('SELECT CURRENT_ROLE()');
  const roles: Role[] = [String(current), 'PUBLIC'].map((name) => ({
    ...{ kind: 'ROLE', name: snowflakeName(name) },
  }));
  const known = new Set<string>();
  const told: string[] = [];
  for (let role = roles.shift(); role !== undefined; role = roles.shift()) {
    const place = `${role.kind} ${role.name}`;
    if (known.has(place)) continue;
    if (known.size >= MAX_ROLES) return [...told, 'it inherits from too many roles to tell'];
    known.add(place);
    const grants = await grantsTo(session, role);
    told.push(...sentencesOf(role, grants));
    roles.push(...grants.filter(isRole).flatMap((grant) => inherited(grant) ?? []));
  }
  return told.sort().slice(0, MAX_TOLD);
};
