import { parseJson, parseSchema } from '@penstock/schema';
import { profilesDifference } from '../profiles/profiles-difference';
import { badPaths, checked } from '../settings-table.fixture';
import { snowflakePlatform as createPlatform } from './snowflake-platform';

const snowflakePlatform = createPlatform({ allow: [], placeOf: () => 'http://127.0.0.1:9' });

const SETTINGS = {
  account: 'acme-eu_1',
  username: 'loader',
  password: 'secret',
  role: 'LOADER',
  database: 'CRM',
  schema: 'PUBLIC',
  warehouse: 'SMALL',
};
const x = (length: number) => 'x'.repeat(length);

it('takes its settings as they are', () => {
  expect(checked(snowflakePlatform, SETTINGS)).toEqual(SETTINGS);
});

it('needs every member, and knows no other', () => {
  const paths = Object.keys(SETTINGS).map((name) => `/${name}`);
  expect(badPaths(snowflakePlatform, {})).toEqual(paths);
  expect(badPaths(snowflakePlatform, { ...SETTINGS, host: 'h', Account: 'a' })).toEqual([
    '/host',
    '/Account',
  ]);
});

it.each([
  ['a-b', true],
  ['a.b', true],
  [`a-${x(253)}`, true],
  [`a-${x(254)}`, false],
  ['ab', false],
  ['a-', false],
  ['a-b-c', true],
  ['xy12345.eu-central-1.aws', true],
  ['a.snowflakecomputing.com', false],
  ['a b', false],
  ['é-b', false],
  [1, false],
])('account %j', (account, isGood) => {
  expect(badPaths(snowflakePlatform, { ...SETTINGS, account })).toEqual(isGood ? [] : ['/account']);
});

it.each(['username', 'password', 'role', 'database', 'schema', 'warehouse'])(
  '%s is 1 to 255 characters',
  (name) => {
    const bad = (value: unknown) => badPaths(snowflakePlatform, { ...SETTINGS, [name]: value });
    expect([bad('x'), bad('😀'.repeat(255))]).toEqual([[], []]);
    const path = [`/${name}`];
    expect([bad(''), bad(x(256)), bad('a\0'), bad(null)]).toEqual([path, path, path, path]);
  },
);

it('tells the statements of a change with names as Snowflake stores them', () => {
  const schemaOf = (name: string) =>
    parseSchema(
      parseJson(
        `{"kind":"object","properties":[{"name":"${name}","type":{"kind":"string"},"readOptional":true}]}`,
      ),
    );
  const from = { version: 1, schema: schemaOf('email') };
  const to = { version: 2, schema: schemaOf('mail') };
  const difference = profilesDifference(from.schema, to.schema, new Map([['mail', 'email']]));
  if ('issues' in difference) throw new Error(JSON.stringify(difference.issues));
  const changed = { ...SETTINGS, database: 'crm', schema: '"Own ""schema"""' };
  const settings = snowflakePlatform.checkSettings(parseJson(JSON.stringify(changed)));
  const queries = snowflakePlatform.changeQueries(settings, {
    ...{ from, to, difference, marksAll: false },
  });
  const at = '"CRM"."Own ""schema"""';
  expect(queries[0]).toBe(`ALTER TABLE ${at}."_IDENTITIES" RENAME COLUMN "EMAIL" TO "_RENAMED_0"`);
  expect(queries.at(-1)).toContain(`UPDATE ${at}."_META" SET "SCHEMA_VERSION" = 2`);
});

it('reaches no address that is not allowed', async () => {
  const settings = snowflakePlatform.checkSettings(parseJson(JSON.stringify(SETTINGS)));
  await expect(
    snowflakePlatform.connect(settings, AbortSignal.timeout(10_000)),
  ).rejects.toMatchObject({ name: 'WarehouseFault', kind: 'unusable' });
});

it('knows the same place by account, database and schema', () => {
  const read = (changes: object) =>
    snowflakePlatform.checkSettings(parseJson(JSON.stringify({ ...SETTINGS, ...changes })));
  const isSame = (changes: object) => snowflakePlatform.isSamePlace(read({}), read(changes));
  expect(isSame({ username: 'reader', role: 'R', warehouse: 'W', password: 'p' })).toBe(true);
  for (const member of ['account', 'database', 'schema'])
    expect(isSame({ [member]: 'an-other' })).toBe(false);
});
