import type { BadCase, TypeCase } from '../database/types.fixture';
import { call, readAll, settingsOf, typesIn } from '../reading.fixture';
import { PostgresqlStand } from './postgresql-stand.fixture';

jest.setTimeout(60_000);

let stand: PostgresqlStand;

beforeAll(async () => {
  stand = await PostgresqlStand.open();
  await stand.run(
    `CREATE TYPE mood AS ENUM ('sad', 'it''s ok', 'a\\b')`,
    'CREATE DOMAIN short AS varchar(3)',
    'CREATE EXTENSION IF NOT EXISTS citext',
  );
});
afterAll(() => stand.close());

const read = (text: string) => readAll(stand.database, settingsOf(stand.settings()), text);

const int = (bitSize: number) => ({ kind: 'int', bitSize });
const decimal = (precision: number, scale: number) => ({
  kind: 'decimal',
  precision,
  ...(scale > 0 && { scale }),
});
const kind = (name: string) => ({ kind: name });
const array = (elementType: object) => ({ kind: 'array', elementType });

const CASES: readonly TypeCase[] = [
  { sql: 'boolean', value: 'true', type: kind('boolean'), json: 'true' },
  { sql: 'boolean', value: 'false', type: kind('boolean'), json: 'false' },
  { sql: 'bit(1)', value: "B'1'", type: kind('boolean'), json: 'true' },
  { sql: 'bit(1)', value: "B'0'", type: kind('boolean'), json: 'false' },
  { sql: 'smallint', value: '-32768', type: int(16), json: '-32768' },
  { sql: 'integer', value: '2147483647', type: int(32), json: '2147483647' },
  {
    sql: 'bigint',
    value: '-9223372036854775808',
    type: int(64),
    json: '-9223372036854775808',
  },
  {
    sql: 'oid',
    value: '4294967295',
    type: { kind: 'int', bitSize: 32, unsigned: true },
    json: '4294967295',
  },
  { sql: 'real', value: '0.1', type: { kind: 'float', bitSize: 32 }, json: '0.1' },
  { sql: 'real', value: '16777217', type: { kind: 'float', bitSize: 32 }, json: '16777216' },
  {
    sql: 'double precision',
    value: '0.1 + 0.2::float8',
    type: { kind: 'float', bitSize: 64 },
    json: '0.30000000000000004',
  },
  { sql: 'double precision', value: "'NaN'", type: { kind: 'float', bitSize: 64 }, json: '"NaN"' },
  {
    sql: 'double precision',
    value: "'-Infinity'",
    type: { kind: 'float', bitSize: 64 },
    json: '"-Infinity"',
  },
  { sql: 'double precision', value: "'-0'", type: { kind: 'float', bitSize: 64 }, json: '0' },
  { sql: 'numeric(10,3)', value: '-1234567.890', type: decimal(10, 3), json: '-1234567.89' },
  { sql: 'numeric(5)', value: '12345', type: decimal(5, 0), json: '12345' },
  {
    sql: 'numeric(76,37)',
    value: `${'9'.repeat(39)}.${'9'.repeat(37)}`,
    type: decimal(76, 37),
    json: `${'9'.repeat(39)}.${'9'.repeat(37)}`,
  },
  {
    sql: 'numeric',
    value: '12345678901234567890.0123456789',
    type: decimal(76, 37),
    json: '12345678901234567890.0123456789',
  },
  { sql: 'text', value: `E'a"\\\\\\n\\u20ac 😀'`, type: kind('string'), json: '"a\\"\\\\\\n€ 😀"' },
  { sql: 'varchar(3)', value: "'€€€'", type: { kind: 'string', maxLength: 3 }, json: '"€€€"' },
  { sql: 'char(3)', value: "'a'", type: { kind: 'string', maxLength: 3 }, json: '"a  "' },
  { sql: 'name', value: "'n'", type: kind('string'), json: '"n"' },
  { sql: 'citext', value: "'Ab'", type: kind('string'), json: '"Ab"' },
  { sql: 'short', value: "'abc'", type: { kind: 'string', maxLength: 3 }, json: '"abc"' },
  {
    sql: 'mood',
    value: `'it''s ok'`,
    type: { kind: 'string', values: ['sad', "it's ok", 'a\\b'] },
    json: `"it's ok"`,
  },
  { sql: 'date', value: "'2024-02-29'", type: kind('date'), json: '"2024-02-29"' },
  { sql: 'date', value: "'0001-01-01'", type: kind('date'), json: '"0001-01-01"' },
  { sql: 'time', value: "'23:59:59.000001'", type: kind('time'), json: '"23:59:59.000001"' },
  {
    sql: 'timestamp',
    value: "'2024-02-29 23:59:59.999999'",
    type: kind('datetime'),
    json: '"2024-02-29T23:59:59.999999Z"',
  },
  {
    sql: 'timestamptz',
    value: "'2024-03-31 02:30:00.5+05:45'",
    type: kind('datetime'),
    json: '"2024-03-30T20:45:00.500Z"',
  },
  {
    sql: 'timestamptz',
    value: "'1850-01-01 00:00:00+00:19:32'",
    type: kind('datetime'),
    json: '"1849-12-31T23:40:28Z"',
  },
  {
    sql: 'uuid',
    value: "'{123E4567-E89B-12D3-A456-426614174000}'",
    type: kind('uuid'),
    json: '"123e4567-e89b-12d3-a456-426614174000"',
  },
  { sql: 'inet', value: "'192.168.0.1'", type: kind('ip'), json: '"192.168.0.1"' },
  { sql: 'inet', value: "'2001:DB8:0::1'", type: kind('ip'), json: '"2001:db8::1"' },
  {
    sql: 'json',
    value: `'{"b": 1.50, "a": 12345678901234567890.123e5}'`,
    type: kind('json'),
    json: '{"b":1.50,"a":12345678901234567890.123e5}',
  },
  {
    sql: 'jsonb',
    value: `'[12345678901234567890, null]'`,
    type: kind('json'),
    json: '[12345678901234567890,null]',
  },
  { sql: 'json', value: `'null'`, type: kind('json'), json: 'null' },
  { sql: 'integer[]', value: "'{1,-2}'", type: array(int(32)), json: '[1,-2]' },
  {
    sql: 'bigint[]',
    value: "'[5:6]={1,9223372036854775807}'",
    type: array(int(64)),
    json: '[1,9223372036854775807]',
  },
  {
    sql: 'text[]',
    value: `ARRAY['a,"b"', '', 'NULL', '{}']`,
    type: array(kind('string')),
    json: '["a,\\"b\\"","","NULL","{}"]',
  },
  { sql: 'text[]', value: "'{}'", type: array(kind('string')), json: '[]' },
  { sql: 'numeric(4,2)[]', value: "'{1.50}'", type: array(decimal(4, 2)), json: '[1.5]' },
  {
    sql: 'mood[]',
    value: `ARRAY['sad']::mood[]`,
    type: array({ kind: 'string', values: ['sad', "it's ok", 'a\\b'] }),
    json: '["sad"]',
  },
  {
    sql: 'jsonb[]',
    value: `ARRAY['{"a": 1}']::jsonb[]`,
    type: array(kind('json')),
    json: '[{"a":1}]',
  },
  {
    sql: 'timestamptz[]',
    value: "'{2024-01-01 00:00:00+00}'",
    type: array(kind('datetime')),
    json: '["2024-01-01T00:00:00Z"]',
  },
];

it.each(CASES)('$sql: $value is $json', async ({ sql, value, type, json }) => {
  const { schema, issues, records } = await read(`SELECT (${value})::${sql} AS c`);
  expect(typesIn(schema)['c']).toEqual(type);
  expect(issues).toEqual([]);
  expect(records).toEqual([`{"c":${json}}`]);
});

it('the columns of a table have the same types', async () => {
  const columns = CASES.map(({ sql }, n) => `c${String(n)} ${sql}`);
  await stand.run(`CREATE TABLE all_types (${columns.join(', ')})`);
  const table = await stand.database.columns('all_types', settingsOf(stand.settings()), call());
  const { schema } = await read('SELECT * FROM all_types');
  expect(table.schema.properties.map(({ type }) => type.kind)).toEqual(
    Object.values(typesIn(schema)).map((type) => (type as { kind: string }).kind),
  );
  expect(Object.values(typesIn(schema))).toEqual(CASES.map(({ type }) => type));
  expect(table.issues).toEqual([]);
});

const UNSUPPORTED = [
  'bytea',
  'interval',
  'money',
  'point',
  'timetz',
  'bit(2)',
  'varbit',
  'xml',
  'cidr',
  'tsvector',
  'int4range',
  'bytea[]',
  'int2vector',
  'oidvector',
  'oidvector[]',
  'numeric(100,50)',
];

it.each(UNSUPPORTED)('a column of the type %s is left out', async (sql) => {
  const { schema, issues, records } = await read(`SELECT NULL::${sql} AS a, 1 AS b`);
  expect(Object.keys(typesIn(schema))).toEqual(['b']);
  expect(issues).toEqual([
    expect.stringMatching(/^column 1 \("a"\) is left out: type .+ is not supported$/),
  ]);
  expect(records).toEqual(['{"b":1}']);
});

it('a query of nothing that can be read is refused', async () => {
  await expect(read("SELECT ''::bytea AS a")).rejects.toMatchObject({
    kind: 'InvalidQuery',
    message:
      'there is no column that can be read: column 1 ("a") is left out: type bytea is not supported',
  });
});

const BAD: readonly BadCase[] = [
  {
    sql: 'numeric',
    value: "'NaN'",
    problem: 'is not a decimal of 76 digits, 37 of them after the point',
  },
  {
    sql: 'numeric',
    value: `'${'9'.repeat(40)}'`,
    problem: 'is not a decimal of 76 digits, 37 of them after the point',
  },
  { sql: 'date', value: "'infinity'", problem: 'is not a day of the years 1 to 9999' },
  { sql: 'date', value: "'0044-03-15 BC'", problem: 'is not a day of the years 1 to 9999' },
  { sql: 'timestamp', value: "'-infinity'", problem: 'is not a time of the years 1 to 9999' },
  {
    sql: 'timestamptz',
    value: "'10000-01-01 00:00:00+00'",
    problem: 'is not a time of the years 1 to 9999',
  },
  { sql: 'time', value: "'24:00:00'", problem: 'is not a time of day before 24:00' },
  { sql: 'inet', value: "'10.0.0.0/8'", problem: 'is not an address without a prefix length' },
  {
    sql: 'json',
    value: `'{"a":1,"a":2}'`,
    problem: 'is not JSON that can be taken: a member name is repeated at offset 11',
  },
  { sql: 'json', value: `'"\\u0000"'`, problem: 'holds JSON with NUL or half a character' },
  { sql: 'integer[]', value: "'{1,NULL}'", problem: 'has an element that is null' },
  { sql: 'integer[]', value: "'{{1},{2}}'", problem: 'is an array of several dimensions' },
];

it.each(BAD)('$sql: $value is an error of its row', async ({ sql, value, problem }) => {
  const { records } = await read(
    `SELECT * FROM (VALUES (1, NULL), (2, (${value})::${sql}), (3, NULL)) AS t (n, c) ORDER BY n`,
  );
  expect(records).toEqual(['{"n":1,"c":null}', `row 2: column "c" ${problem}`, '{"n":3,"c":null}']);
});

it('the settings of the server change nothing', async () => {
  await stand.run(
    `ALTER DATABASE ${stand.settings().database} SET TimeZone = 'Asia/Kathmandu'`,
    `ALTER DATABASE ${stand.settings().database} SET DateStyle = 'German'`,
    `ALTER DATABASE ${stand.settings().database} SET extra_float_digits = -10`,
    `ALTER DATABASE ${stand.settings().database} SET IntervalStyle = 'iso_8601'`,
    `ALTER DATABASE ${stand.settings().database} SET standard_conforming_strings = off`,
  );
  const { records } = await read(
    "SELECT '2024-01-01 00:00:00+00'::timestamptz AS a, '2024-01-31'::date AS b, 0.1::float8 + 0.2 AS c",
  );
  expect(records).toEqual([
    '{"a":"2024-01-01T00:00:00Z","b":"2024-01-31","c":0.30000000000000004}',
  ]);
});

it('an array is read up to its limit', async () => {
  const { records } = await read(
    `SELECT ARRAY[repeat('x', n)] AS a FROM (VALUES (4194302), (4194303)) AS v (n)`,
  );
  expect(records[0]).toBe(`{"a":["${'x'.repeat(4_194_302)}"]}`);
  expect(records[1]).toBe('row 2: column "a" has more than 4194304 characters');
});
