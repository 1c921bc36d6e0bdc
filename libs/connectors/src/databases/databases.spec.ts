import { CHECKED_CONNECTORS } from '@penstock/contracts';
import { parseJson } from '@penstock/schema';
import { createConnectors } from '../connectors';
import { badPaths } from '../settings-table.fixture';
import { clickhouseConnector } from './clickhouse-connector';
import { mysqlConnector } from './mysql-connector';
import { postgresqlConnector } from './postgresql-connector';
import { snowflakeConnector } from './snowflake-connector';

const x = (length: number) => 'x'.repeat(length);
const SERVER = { host: 'db.example.com', port: 5432, username: 'reader', database: 'crm' };

it('connections of databases, and of applications that can be asked, are tried when they are made', () => {
  const { list } = createConnectors({});
  const databases = list.filter(({ database }) => database !== undefined);
  const asked = list.filter(({ askSettings }) => askSettings !== undefined);
  expect([...databases, ...asked].map(({ code }) => code).sort()).toEqual(
    [...CHECKED_CONNECTORS].sort(),
  );
  expect(new Set(databases.map(({ type }) => type))).toEqual(new Set(['Database']));
});

it('a MySQL is connected to with encryption where it has it, unless its settings say more', () => {
  const settings = mysqlConnector.checkSettings(parseJson(JSON.stringify(SERVER)), 'Source');
  expect(settings.get('tls')).toBe('preferred');
});

type Row = [member: string, good: unknown[], bad: unknown[]];

const BOTH: Row[] = [
  ['host', ['h', x(253), '::1'], ['', x(254), 1, null]],
  ['port', [1, 65_535], [0, 65_536, '5432', null]],
  ['password', ['', x(100)], [x(101), null]],
  ['other', [], ['x']],
];

it.each<Row>([
  ...BOTH,
  ['username', [x(63)], ['', x(64)]],
  ['database', [x(63)], ['', x(64)]],
  ['schema', ['public', x(63)], ['', x(64), 'pg_x', 'a b']],
  ['sslMode', ['disable', 'prefer', 'require', 'verify-full'], ['', 'allow', null]],
])('postgresql: %s', (member, good, bad) => {
  const at = (value: unknown) =>
    badPaths(postgresqlConnector, { ...SERVER, schema: 'crm', [member]: value });
  expect(good.map(at)).toEqual(good.map(() => []));
  expect(bad.map(at)).toEqual(bad.map(() => [`/${member}`]));
});

it.each<Row>([
  ...BOTH,
  ['username', [x(255)], ['', x(256)]],
  ['database', [x(255)], ['', x(256)]],
  ['tls', ['disabled', 'preferred', 'required', 'verify'], ['', 'prefer', null]],
])('mysql: %s', (member, good, bad) => {
  const at = (value: unknown) => badPaths(mysqlConnector, { ...SERVER, [member]: value });
  expect(good.map(at)).toEqual(good.map(() => []));
  expect(bad.map(at)).toEqual(bad.map(() => [`/${member}`]));
});

it.each<Row>([
  ...BOTH,
  ['username', [x(255)], ['', x(256), 'a:b']],
  ['database', [x(255)], ['', x(256)]],
  ['tls', [true, false], ['', 'true', null]],
])('clickhouse: %s', (member, good, bad) => {
  const at = (value: unknown) => badPaths(clickhouseConnector, { ...SERVER, [member]: value });
  expect(good.map(at)).toEqual(good.map(() => []));
  expect(bad.map(at)).toEqual(bad.map(() => [`/${member}`]));
});

const ACCOUNT = {
  ...{ account: 'acme-eu', username: 'reader', password: 'secret', role: 'LOADER' },
  ...{ database: 'CRM', schema: 'PUBLIC', warehouse: 'SMALL' },
};

it.each<Row>([
  ['account', ['a-b', 'a-b-c', 'a.b_1', `a-${x(253)}`], ['', 'ab', 'a-', 'a/b', `a-${x(254)}`]],
  ['username', ['x', x(255)], ['', x(256), null]],
  ['password', ['x', x(255)], ['', x(256), null]],
  ['role', ['x', x(255)], ['', x(256), null]],
  ['database', ['x', x(255)], ['', x(256), null]],
  ['schema', ['x', x(255)], ['', x(256), null]],
  ['warehouse', ['x', x(255)], ['', x(256), null]],
  ['host', [], ['x']],
])('snowflake: %s', (member, good, bad) => {
  const at = (value: unknown) => badPaths(snowflakeConnector, { ...ACCOUNT, [member]: value });
  expect(good.map(at)).toEqual(good.map(() => []));
  expect(bad.map(at)).toEqual(bad.map(() => [`/${member}`]));
});
