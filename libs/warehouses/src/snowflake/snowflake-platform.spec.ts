import { parseJson } from '@penstock/schema';
import { badPaths, checked } from '../settings-table.fixture';
import { snowflakePlatform } from './snowflake-platform';

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
  ['a-b-c', false],
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

it('reports that it cannot connect', async () => {
  const settings = snowflakePlatform.checkSettings(parseJson(JSON.stringify(SETTINGS)));
  await expect(
    snowflakePlatform.connect(settings, new AbortController().signal),
  ).rejects.toMatchObject({
    kind: 'unsupported',
    message: 'this version of Penstock cannot connect to Snowflake',
  });
});

it('knows the same place by account, database and schema', () => {
  const read = (changes: object) =>
    snowflakePlatform.checkSettings(parseJson(JSON.stringify({ ...SETTINGS, ...changes })));
  const isSame = (changes: object) => snowflakePlatform.isSamePlace(read({}), read(changes));
  expect(isSame({ username: 'reader', role: 'R', warehouse: 'W', password: 'p' })).toBe(true);
  for (const member of ['account', 'database', 'schema'])
    expect(isSame({ [member]: 'an-other' })).toBe(false);
});
