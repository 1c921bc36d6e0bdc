import { postgresqlTargetOf } from '@penstock/databases';
import { parseJson } from '@penstock/schema';
import { mask } from '@penstock/settings';
import { badPaths, checked } from '../settings-table.fixture';
import { postgresqlPlatform } from './platform/postgresql-platform';

const platform = postgresqlPlatform({ allow: [] });
const SETTINGS = {
  host: 'db.example.com',
  port: 5432,
  username: 'loader',
  database: 'crm',
  schema: 'warehouse',
};
const x = (length: number) => 'x'.repeat(length);
const read = (changes: object) =>
  platform.checkSettings(parseJson(JSON.stringify({ ...SETTINGS, ...changes })));

it('takes its settings as they are', () => {
  const all = { ...SETTINGS, password: 'secret', sslMode: 'require' };
  expect(checked(platform, all)).toEqual(all);
  expect(checked(platform, SETTINGS)).toEqual(SETTINGS);
});

it('needs all but password and sslMode, and knows no other', () => {
  const paths = Object.keys(SETTINGS).map((name) => `/${name}`);
  expect(badPaths(platform, {})).toEqual(paths);
  expect(badPaths(platform, { ...SETTINGS, user: 'u', 'a/b': 1 })).toEqual(['/user', '/a~1b']);
  expect(badPaths(platform, [])).toEqual(['']);
});

type Row = [name: string, good: unknown[], bad: unknown[]];

it.each<Row>([
  ['host', ['h', x(253), '::1', 'é'.repeat(126)], ['', x(254), 'é'.repeat(127), 'a\0', 1, null]],
  ['port', [1, 65_535], [0, 65_536, -1, 5432.5, '5432', null]],
  ['username', ['u', x(63), 'é'.repeat(31)], ['', x(64), 'é'.repeat(32), null]],
  ['database', ['d', x(63), 'a b"c'], ['', x(64), 'é'.repeat(32), null]],
  ['password', ['', x(100), '😀'.repeat(100)], [x(101), 1, null, 'a\0']],
  ['schema', ['s', '_', 'A1_', x(63), 'PG_a'], ['', x(64), '1a', 'a-b', 'é', 'pg_a', 'a"', null]],
  [
    'sslMode',
    ['disable', 'prefer', 'require', 'verify-full'],
    ['', 'allow', 'Require', true, null],
  ],
])('%s', (name, good, bad) => {
  const at = (value: unknown) => badPaths(platform, { ...SETTINGS, [name]: value });
  expect(good.map(at)).toEqual(good.map(() => []));
  expect(bad.map(at)).toEqual(bad.map(() => [`/${name}`]));
});

it('prefers encrypted connections, and has an empty password, by default', () => {
  expect(postgresqlTargetOf(read({}))).toEqual({ ...SETTINGS, password: '', sslMode: 'prefer' });
});

it('knows its secret', () => {
  const masked = platform.settings.mapSecrets(read({ password: 'secret-1234' }), mask);
  expect(masked).toEqual(read({ password: '••••1234' }));
});

it('knows the same place by host, port, database and schema', () => {
  const isSame = (changes: object) => platform.isSamePlace(read({}), read(changes));
  expect(isSame({ username: 'reader', password: 'p', sslMode: 'disable' })).toBe(true);
  for (const change of [{ host: 'h' }, { port: 1 }, { database: 'd' }, { schema: 's' }])
    expect(isSame(change)).toBe(false);
});
