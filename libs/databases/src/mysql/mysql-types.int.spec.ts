import type { BadCase, TypeCase } from '../database/types.fixture';
import { call, readAll, settingsOf, typesIn } from '../reading.fixture';
import { MysqlStand } from './mysql-stand.fixture';

jest.setTimeout(60_000);

let stand: MysqlStand;

const int = (bitSize: number, unsigned = false) => ({
  kind: 'int',
  bitSize,
  ...(unsigned && { unsigned }),
});
const decimal = (precision: number, scale: number) => ({
  kind: 'decimal',
  precision,
  ...(scale > 0 && { scale }),
});
const kind = (name: string) => ({ kind: name });
const float = (bitSize: number) => ({ kind: 'float', bitSize, real: true });

const CASES: readonly TypeCase[] = [
  { sql: 'boolean', value: 'true', type: kind('boolean'), json: 'true' },
  { sql: 'tinyint(1)', value: '0', type: kind('boolean'), json: 'false' },
  { sql: 'bit(1)', value: "b'1'", type: kind('boolean'), json: 'true' },
  { sql: 'bit(1)', value: "b'0'", type: kind('boolean'), json: 'false' },
  { sql: 'tinyint', value: '-128', type: int(8), json: '-128' },
  { sql: 'tinyint unsigned', value: '255', type: int(8, true), json: '255' },
  { sql: 'smallint', value: '-32768', type: int(16), json: '-32768' },
  { sql: 'smallint unsigned', value: '65535', type: int(16, true), json: '65535' },
  { sql: 'mediumint', value: '-8388608', type: int(24), json: '-8388608' },
  { sql: 'mediumint unsigned', value: '16777215', type: int(24, true), json: '16777215' },
  { sql: 'int', value: '-2147483648', type: int(32), json: '-2147483648' },
  { sql: 'int(10) unsigned zerofill', value: '7', type: int(32, true), json: '7' },
  { sql: 'int unsigned', value: '4294967295', type: int(32, true), json: '4294967295' },
  { sql: 'bigint', value: '-9223372036854775808', type: int(64), json: '-9223372036854775808' },
  {
    sql: 'bigint unsigned',
    value: '18446744073709551615',
    type: int(64, true),
    json: '18446744073709551615',
  },
  { sql: 'float', value: '0.1', type: float(32), json: '0.1' },
  { sql: 'float', value: '1.2345678', type: float(32), json: '1.2345678' },
  { sql: 'double', value: '0.1e0 + 0.2e0', type: float(64), json: '0.30000000000000004' },
  { sql: 'double', value: '-0e0', type: float(64), json: '0' },
  { sql: 'decimal(10,3)', value: '-1234567.890', type: decimal(10, 3), json: '-1234567.89' },
  {
    sql: 'decimal(65,30)',
    value: `${'9'.repeat(35)}.${'9'.repeat(30)}`,
    type: decimal(65, 30),
    json: `${'9'.repeat(35)}.${'9'.repeat(30)}`,
  },
  { sql: 'decimal(8,2) unsigned zerofill', value: '1.5', type: decimal(8, 2), json: '1.5' },
  { sql: 'decimal(5)', value: '0', type: decimal(5, 0), json: '0' },
  { sql: 'varchar(5)', value: "'a€😀'", type: { kind: 'string', maxLength: 5 }, json: '"a€😀"' },
  {
    sql: 'varchar(5) character set latin1',
    value: "'é'",
    type: { kind: 'string', maxLength: 5 },
    json: '"é"',
  },
  { sql: 'char(3)', value: "'a'", type: { kind: 'string', maxLength: 3 }, json: '"a"' },
  { sql: 'tinytext', value: "''", type: kind('string'), json: '""' },
  { sql: 'text', value: `'a"\\\\\\n'`, type: kind('string'), json: '"a\\"\\\\\\n"' },
  { sql: 'mediumtext', value: "'m'", type: kind('string'), json: '"m"' },
  { sql: 'longtext', value: "'l'", type: kind('string'), json: '"l"' },
  {
    sql: `enum('sad','it''s ok','a,b','c\\\\d')`,
    value: "'c\\\\d'",
    type: { kind: 'string', values: ['sad', "it's ok", 'a,b', 'c\\d'] },
    json: '"c\\\\d"',
  },
  { sql: 'date', value: "'2024-02-29'", type: kind('date'), json: '"2024-02-29"' },
  {
    sql: 'datetime',
    value: "'1000-01-01 00:00:00'",
    type: kind('datetime'),
    json: '"1000-01-01T00:00:00Z"',
  },
  {
    sql: 'datetime(6)',
    value: "'2024-02-29 23:59:59.000010'",
    type: kind('datetime'),
    json: '"2024-02-29T23:59:59.000010Z"',
  },
  {
    sql: 'datetime(3)',
    value: "'2024-02-29 23:59:59.120'",
    type: kind('datetime'),
    json: '"2024-02-29T23:59:59.120Z"',
  },
  // The server of the spec is in another zone.
  {
    sql: 'timestamp(6) null',
    value: "'2024-02-29 23:59:59.5'",
    type: kind('datetime'),
    json: '"2024-02-29T18:14:59.500Z"',
  },
  { sql: 'time(6)', value: "'23:59:59.000001'", type: kind('time'), json: '"23:59:59.000001"' },
  { sql: 'time', value: "'00:00:00'", type: kind('time'), json: '"00:00:00"' },
  { sql: 'year', value: '2155', type: kind('year'), json: '2155' },
  {
    sql: 'json',
    value: `'{"b": 1.50, "a": 12345678901234567890.123e5}'`,
    type: kind('json'),
    json: '{"b":1.50,"a":12345678901234567890.123e5}',
  },
  {
    sql: 'uuid',
    value: "'123E4567-E89B-12D3-A456-426614174000'",
    type: kind('uuid'),
    json: '"123e4567-e89b-12d3-a456-426614174000"',
  },
  { sql: 'inet4', value: "'192.168.0.1'", type: kind('ip'), json: '"192.168.0.1"' },
  { sql: 'inet6', value: "'2001:DB8:0::1'", type: kind('ip'), json: '"2001:db8::1"' },
];

beforeAll(async () => {
  stand = await MysqlStand.open();
  const columns = CASES.map(({ sql }, n) => `c${String(n)} ${sql}`);
  await stand.run(
    'SET NAMES utf8mb4',
    // Also values that a strict server does not take, and an older one may hold.
    "SET SESSION sql_mode = ''",
    `CREATE TABLE all_types (${columns.join(', ')}) CHARACTER SET utf8mb4`,
    `INSERT INTO all_types VALUES (${CASES.map(({ value }) => value).join(', ')})`,
  );
});
afterAll(() => stand.close());

const read = (text: string) => readAll(stand.database, settingsOf(stand.settings()), text);

it.each(CASES.map((each, n) => ({ ...each, column: `c${String(n)}` })))(
  '$sql: $value is $json',
  async ({ column, type, json }) => {
    const { schema, issues, records } = await read(`SELECT ${column} FROM all_types`);
    expect(typesIn(schema)[column]).toEqual(type);
    expect(issues).toEqual([]);
    expect(records).toEqual([`{"${column}":${json}}`]);
  },
);

it('the columns of a table have the same types', async () => {
  const { schema, issues } = await stand.database.columns(
    'all_types',
    settingsOf(stand.settings()),
    call(),
  );
  expect(schema.properties.map(({ type }) => type.kind)).toEqual(
    CASES.map(({ type }) => (type as { kind: string }).kind),
  );
  expect(issues).toEqual([]);
});

it('null is null', async () => {
  await stand.run('CREATE TABLE nulls LIKE all_types', 'INSERT INTO nulls VALUES ()');
  const { records } = await read('SELECT * FROM nulls');
  expect(new Set(Object.values(JSON.parse(records[0] ?? '{}') as object))).toEqual(new Set([null]));
});

it.each(['blob', 'varbinary(3)', 'binary(3)', 'bit(2)', "set('a','b')", 'point'])(
  'a column of the type %s is left out',
  async (sql) => {
    await stand.run(
      'DROP TABLE IF EXISTS bad',
      `CREATE TABLE bad (a ${sql}, b int)`,
      'INSERT INTO bad VALUES (NULL, 1)',
    );
    const { schema, issues, records } = await read('SELECT a, b FROM bad');
    expect(Object.keys(typesIn(schema))).toEqual(['b']);
    expect(issues).toEqual([
      expect.stringMatching(/^column 1 \("a"\) is left out: type .+ is not supported$/),
    ]);
    expect(records).toEqual(['{"b":1}']);
  },
);

const BAD: readonly BadCase[] = [
  {
    sql: 'tinyint(1)',
    value: '2',
    problem: 'is neither 0 nor 1, as the type tinyint(1) has it: cast it to read numbers',
  },
  { sql: 'date', value: "'0000-00-00'", problem: 'is not a day of the years 1 to 9999' },
  { sql: 'date', value: "'2024-00-00'", problem: 'is not a day of the years 1 to 9999' },
  {
    sql: 'datetime',
    value: "'0000-00-00 00:00:00'",
    problem: 'is not a time of the years 1 to 9999',
  },
  { sql: 'time', value: "'24:00:00'", problem: 'is not a time of day before 24:00' },
  { sql: 'time', value: "'-00:00:01'", problem: 'is not a time of day before 24:00' },
  { sql: 'time', value: "'838:59:59'", problem: 'is not a time of day before 24:00' },
  { sql: 'year', value: '0', problem: 'is not a year of 1 to 9999' },
  { sql: 'varchar(5)', value: "'a\\0b'", problem: 'holds NUL' },
  { sql: "enum('a')", value: "'b'", problem: 'is none of the values of its enum' },
  {
    sql: 'json',
    value: `'{"a":1,"a":2}'`,
    problem: 'is not JSON that can be taken: a member name is repeated at offset 11',
  },
];

it.each(BAD)('$sql: $value is an error of its row', async ({ sql, value, problem }) => {
  await stand.run(
    'DROP TABLE IF EXISTS bad',
    `CREATE TABLE bad (n int, c ${sql} NULL)`,
    `INSERT INTO bad VALUES (1, NULL), (2, ${value}), (3, NULL)`,
  );
  const { records } = await read('SELECT n, c FROM bad ORDER BY n');
  expect(records).toEqual(['{"n":1,"c":null}', `row 2: column "c" ${problem}`, '{"n":3,"c":null}']);
});

it('a column that is never null says so, unless a join makes it null', async () => {
  await stand.run('CREATE TABLE one (id int NOT NULL)', 'INSERT INTO one VALUES (1)');
  const { schema, records } = await read(
    'SELECT a.id AS a, b.id AS b FROM one a LEFT JOIN one b ON b.id > a.id',
  );
  expect((schema as { properties: object[] }).properties).toMatchObject([
    { name: 'a' },
    { name: 'b', nullable: true },
  ]);
  expect((schema as { properties: object[] }).properties[0]).not.toHaveProperty('nullable');
  expect(records).toEqual(['{"a":1,"b":null}']);
});
