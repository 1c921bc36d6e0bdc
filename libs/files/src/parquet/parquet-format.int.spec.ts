import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonArray, isJsonObject, type Json, JsonNumber, parseJson } from '@penstock/schema';
import { independentFiles } from '../independent/independent-files.fixture';
import { opened, readAll, SpoolFolder } from '../testing.fixture';

jest.setTimeout(300_000);

/** Bytes from one that is changed to the next. */
const EVERY = process.env['PENSTOCK_TEST_LONG'] === '1' ? 3 : 13;

let folder: string;
let expected: unknown[];
const spool = new SpoolFolder();
const options = { options: { spool: { folder: spool.folder, maxBytes: 268_435_456 } } };

beforeAll(() => {
  folder = independentFiles();
  expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as unknown[];
});
afterAll(() => {
  spool.remove();
});
afterEach(() => {
  expect(spool.left).toEqual([]);
});

const file = (name: string): Buffer => readFileSync(join(folder, name));

/** As the program that wrote the file describes it: numbers by their digits, so that none is rounded. */
const plain = (json: Json, like: unknown): unknown => {
  if (json instanceof JsonNumber) {
    const [kind] = Array.isArray(like) ? (like as unknown[]) : ['float'];
    return kind === 'float' ? Number(json.text) : [kind, json.text];
  }
  if (isJsonArray(json))
    return [['list'], ...json.map((each, n) => plain(each, (like as unknown[])[n + 1]))];
  if (!isJsonObject(json)) return json;
  // An empty map looks like an empty list to the program.
  const { map } = (Array.isArray(like) ? { map: [] } : like) as {
    readonly map?: readonly [string, unknown][];
  };
  if (map === undefined)
    return Object.fromEntries(
      Array.from(json, ([name, each]) => [
        name,
        plain(each, (like as Record<string, unknown>)[name]),
      ]),
    );
  const values = new Map(map);
  return { map: Array.from(json, ([key, each]) => [key, plain(each, values.get(key))]).sort() };
};

/** A float of 32 bits, whose text has as many digits as it needs among those. */
const single = (value: unknown): unknown =>
  typeof value === 'number' ? Math.fround(value) : value;

/** The empty map and the empty list look the same to the program. */
const asRead = (row: Record<string, unknown>): Record<string, unknown> => ({
  ...row,
  map: JSON.stringify(row['map']) === '[["list"]]' ? { map: [] } : row['map'],
  json: row['json'] === null ? null : parseJson(row['json'] as string),
  f32: single(row['f32']),
  f16: single(row['f16']),
});

describe.each([
  'none',
  'snappy',
  'gzip',
  'brotli',
  'zstd',
  'lz4',
  'v2',
  'v2-dictionary',
  'old',
  'encodings',
  'encodings-v1',
])('a file that pyarrow wrote: %s', (name) => {
  it('has every value of every type', async () => {
    const { texts, errors, issues } = await readAll('parquet', file(`${name}.parquet`), options);
    expect([errors, issues]).toEqual([[], []]);
    expect(texts).toHaveLength(expected.length);
    texts.forEach((text, row) => {
      const like = expected[row] as Record<string, unknown>;
      const record = parseJson(text) as ReadonlyMap<string, Json>;
      const read = Object.fromEntries(
        Array.from(record, ([column, json]) => [
          column,
          column === 'json' ? json : plain(json, like[column]),
        ]),
      );
      const rounded = { ...read, f32: single(read['f32']), f16: single(read['f16']) };
      expect(rounded).toEqual(asRead(like));
    });
  });
});

it.each(['', '.all-named-index', '.some-named-index', '.column-metadata-handling'])(
  'reads a file that the tests of pyarrow ship: v0.7.1%s',
  async (name) => {
    const path = `shipped-v0.7.1${name}.parquet`;
    const rows = JSON.parse(file(`${path}.json`).toString()) as Record<string, unknown>[];
    const { texts, errors } = await readAll('parquet', file(path), options);
    expect(errors).toEqual([]);
    expect(texts.map((text, row) => plain(parseJson(text), rows[row]))).toEqual(rows);
  },
);

it('gives columns their types', async () => {
  const table = await opened('parquet', file('none.parquet'), options);
  const types = Object.fromEntries(table.schema.properties.map(({ name, type }) => [name, type]));
  await table.close();
  expect(types).toMatchObject({
    bool: { kind: 'boolean' },
    u8: { kind: 'int', bitSize: 8, unsigned: true, minimum: 0n, maximum: 255n },
    i64: { kind: 'int', bitSize: 64, unsigned: false },
    f32: { kind: 'float', bitSize: 32 },
    dec76: { kind: 'decimal', precision: 76, scale: 0 },
    ts_ns: { kind: 'datetime' },
    t_us: { kind: 'time' },
    day: { kind: 'date' },
    id: { kind: 'uuid' },
    json: { kind: 'json' },
    lists: { kind: 'array', elementType: { kind: 'array', elementType: { kind: 'string' } } },
    numbers: { kind: 'map', elementType: { kind: 'array', elementType: { kind: 'date' } } },
    struct: { kind: 'object', properties: [{ name: 'a', nullable: true }, { name: 'b_c' }] },
    first_name: { kind: 'string' },
  });
  expect(table.schema.properties.find(({ name }) => name === 'first_name')?.nullable).toBe(false);
});

it.each([[['first_name', 'lists', 'numbers']], [[]]])(
  'reads only what is wanted: %j',
  async (names) => {
    const columns = new Set(names);
    const [all, some] = [
      await readAll('parquet', file('v2-dictionary.parquet'), options),
      await readAll('parquet', file('v2-dictionary.parquet'), { ...options, columns }),
    ];
    expect(some.properties).toEqual(all.properties);
    expect(some.records).toEqual(
      all.records.map((record) =>
        Object.fromEntries(Object.entries(record as object).filter(([name]) => columns.has(name))),
      ),
    );
  },
);

it('reads times of 96 bits', async () => {
  const { records } = await readAll('parquet', file('int96.parquet'), options);
  expect(records.slice(0, 3)).toEqual([
    { at: '2024-02-29T10:11:12.345678Z' },
    { at: '1700-01-01T00:00:00Z' },
    { at: null },
  ]);
});

it('leaves out columns of other types, with an issue for each', async () => {
  const { properties, issues, records } = await readAll(
    'parquet',
    file('unsupported.parquet'),
    options,
  );
  expect(properties).toEqual(['kept']);
  expect(issues).toEqual([
    'column "raw" is left out: the type BYTE_ARRAY cannot be read',
    'column "fixed" is left out: the type FIXED_LEN_BYTE_ARRAY cannot be read',
    'column "nothing" is left out: the type NULL cannot be read',
  ]);
  expect(records).toHaveLength(10);
});

it.each([
  ['only-unsupported', 'NoColumnsFound', /"raw" is left out/],
  ['equal-names', 'NoColumnsFound', /both become the property a_b/],
])('refuses %s', async (name, kind, message) => {
  await expect(readAll('parquet', file(`${name}.parquet`), options)).rejects.toMatchObject({
    kind,
    message: expect.stringMatching(message) as string,
  });
});

it('makes values that cannot be errors of their records', async () => {
  const inList = await readAll('parquet', file('null-in-list.parquet'), options);
  expect(inList.records).toEqual([{ a: [0] }, { a: [2] }]);
  expect(inList.errors).toEqual([[2, 'column "a" holds null in a list']]);
  const bad = await readAll('parquet', file('bad-values.parquet'), options);
  expect(bad.records).toHaveLength(2);
  expect(bad.errors).toEqual([
    [2, 'column "a" is not UTF-8, or holds NUL'],
    [3, 'column "b" is not in the years 1 to 9999'],
  ]);
  expect(bad.readable).toEqual([['b'], ['a']]);
});

it('reads a file without records', async () => {
  expect(await readAll('parquet', file('empty.parquet'), options)).toMatchObject({
    properties: ['a'],
    records: [],
  });
});

it('reads only some pages of a large group of rows at a time', async () => {
  const table = await opened('parquet', file('one-group.parquet'), options);
  let rows = 0;
  for await (const batch of table.records) {
    expect(batch.length).toBeLessThanOrEqual(1_000);
    rows += batch.length;
  }
  await table.close();
  expect(rows).toBe(300_000);
});

describe('a damaged file', () => {
  it.each([
    ['no bytes', () => Buffer.alloc(0)],
    ['text', () => Buffer.from('a,b\n1,2\n'.repeat(100))],
    ['a file that is cut off', () => file('snappy.parquet').subarray(0, -100)],
    ['a file without its beginning', () => file('snappy.parquet').subarray(100)],
    [
      'a description that claims to be long',
      () => {
        const bytes = file('snappy.parquet');
        bytes.writeUInt32LE(0x7fffffff, bytes.length - 8);
        return bytes;
      },
    ],
    ['a file with pages of zeros', () => file('none.parquet').fill(0, 1_000, 60_000)],
  ])('of %s is refused', async (_, content) => {
    await expect(readAll('parquet', content(), options)).rejects.toMatchObject({
      name: 'FileFault',
      kind: 'InvalidFile',
    });
  });

  it('with any byte changed gives records or is refused, in bounded time and memory', async () => {
    const whole = file('bad-values.parquet');
    for (let at = 0; at < whole.length; at += EVERY) {
      const content = Buffer.from(whole);
      content[at] = (content[at] ?? 0) ^ (1 << (at % 8));
      const result = await readAll('parquet', content, options).catch((error: unknown) => error);
      if (result instanceof Error) expect(result).toMatchObject({ name: 'FileFault' });
    }
  });
});
