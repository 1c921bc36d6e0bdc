import { parseJson } from './parse-json';
import { checkRoleFlags, type SchemaRole } from './role-flags';
import { parseSchema } from './types/parse-type';

const ROLES: Record<SchemaRole['role'], SchemaRole> = {
  profile: { role: 'profile' },
  source: { role: 'source' },
  sourceDatabase: { role: 'sourceDatabase' },
  eventDestination: { role: 'eventDestination' },
  userDestination: { role: 'userDestination', matching: 'o.key' },
  databaseDestination: { role: 'databaseDestination', tableKey: 'key' },
};

type Flag = 'createRequired' | 'updateRequired' | 'readOptional' | 'nullable';

/** Property and flag → whether it may be unset, and whether it may be set. */
type Row = [role: SchemaRole['role'], name: string, flag: Flag, unset: boolean, set: boolean];

const ROWS: Row[] = [
  ['profile', 'a', 'createRequired', true, false],
  ['profile', 'a', 'updateRequired', true, false],
  ['profile', 'a', 'readOptional', false, true],
  ['profile', 'a', 'nullable', true, false],
  ['source', 'a', 'createRequired', true, false],
  ['source', 'a', 'updateRequired', true, false],
  ['source', 'a', 'readOptional', true, true],
  ['source', 'a', 'nullable', true, true],
  ['sourceDatabase', 'a', 'createRequired', true, false],
  ['sourceDatabase', 'a', 'updateRequired', true, false],
  ['sourceDatabase', 'a', 'readOptional', true, false],
  ['sourceDatabase', 'a', 'nullable', true, true],
  ['eventDestination', 'a', 'createRequired', true, true],
  ['eventDestination', 'a', 'updateRequired', true, false],
  ['eventDestination', 'a', 'readOptional', true, false],
  ['eventDestination', 'a', 'nullable', true, true],
  ['userDestination', 'a', 'createRequired', true, true],
  ['userDestination', 'a', 'updateRequired', true, true],
  ['userDestination', 'a', 'readOptional', true, false],
  ['userDestination', 'a', 'nullable', true, true],
  ['userDestination', 'o', 'readOptional', true, true],
  ['databaseDestination', 'a', 'createRequired', true, false],
  ['databaseDestination', 'a', 'updateRequired', true, false],
  ['databaseDestination', 'a', 'readOptional', true, false],
  ['databaseDestination', 'a', 'nullable', true, true],
  ['databaseDestination', 'key', 'createRequired', false, true],
  ['databaseDestination', 'key', 'updateRequired', true, false],
  ['databaseDestination', 'key', 'readOptional', true, false],
  ['databaseDestination', 'key', 'nullable', true, false],
];

const flagged = (role: SchemaRole, properties: string): string[] =>
  checkRoleFlags(
    parseSchema(parseJson(`{"kind":"object","properties":[${properties}]}`)),
    role,
  ).map(({ path }) => path);

it.each(ROWS)('%s: %s %s unset %s, set %s', (role, name, flag, unset, set) => {
  const issuesWith = (value: boolean): string[] =>
    flagged(ROLES[role], `{"name":"${name}","type":{"kind":"year"},"${flag}":${value}}`).filter(
      (path) => path.endsWith(flag),
    );
  const path = `/properties/0/${flag}`;
  expect(issuesWith(false)).toEqual(unset ? [] : [path]);
  expect(issuesWith(true)).toEqual(set ? [] : [path]);
});

it('has a row for every flag of every role', () => {
  const rows = new Set(ROWS.map(([role, , flag]) => `${role} ${flag}`));
  expect(rows.size).toBe(Object.keys(ROLES).length * 4);
});

const object = (flags: string): string =>
  `{"kind":"object","properties":[{"name":"key","type":{"kind":"year"}${flags}},{"name":"keys","type":{"kind":"year"}${flags}}]}`;

it('allows readOptional on the matching property and its parents only', () =>
  expect(
    flagged(
      ROLES.userDestination,
      `{"name":"o","type":${object(',"readOptional":true')},"readOptional":true},{"name":"key","type":{"kind":"year"},"readOptional":true}`,
    ),
  ).toEqual(['/properties/0/type/properties/1/readOptional', '/properties/1/readOptional']));

it('looks into arrays and maps', () =>
  expect(
    flagged(
      ROLES.source,
      `{"name":"l","type":{"kind":"array","elementType":{"kind":"map","elementType":${object(',"updateRequired":true')}}}}`,
    ),
  ).toEqual([
    '/properties/0/type/elementType/elementType/properties/0/updateRequired',
    '/properties/0/type/elementType/elementType/properties/1/updateRequired',
  ]));

it.each(Object.values(ROLES))('refuses prefilled for $role', (role) =>
  expect(flagged(role, '{"name":"a","type":{"kind":"year"},"prefilled":"x"}')).toContain(
    '/properties/0/prefilled',
  ),
);
