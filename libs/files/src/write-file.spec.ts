import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { checkedBy } from '@penstock/settings';
import { decodeValue, parseJson, parseSchema, type RecordValue } from '@penstock/schema';
import { FileFault } from './content/file-fault';
import { formatOf, readAll } from './testing.fixture';
import { type WritableFile, writableFile } from './write-file';

const schemaOf = (...types: object[]) =>
  parseSchema(
    parseJson(
      JSON.stringify({
        kind: 'object',
        properties: types.map((type, index) => ({
          name: `p${String(index)}`,
          type,
          nullable: true,
        })),
      }),
    ),
  );

const fileOf = (
  code: string,
  types: readonly object[],
  { sheet = 'Users', ...settings }: { readonly sheet?: string } & Record<string, unknown> = {},
): { file: WritableFile; record: (json: string) => RecordValue } => {
  const format = formatOf(code);
  const schema = schemaOf(...types);
  const needed = code === 'json' ? { properties: [{ name: 'p0' }] } : {};
  const file = writableFile({
    format,
    schema,
    sheet,
    compression: '',
    packed: { name: 'users', at: new Date() },
    settings: checkedBy(format.settings)(parseJson(JSON.stringify({ ...needed, ...settings }))),
  });
  return { file, record: (json) => decodeValue(schema, parseJson(json)) as RecordValue };
};

async function* once<T>(...all: readonly T[]): AsyncGenerator<readonly T[]> {
  yield await Promise.resolve(all);
}

const textOf = (file: WritableFile, ...records: readonly RecordValue[]): Promise<string> =>
  buffer(Readable.from(file.bytes(once(...records)))).then((bytes) => bytes.toString());

const STRING = { kind: 'string' };
const FLOAT = { kind: 'float', bitSize: 64 };

it('a csv row of one empty cell is a row', async () => {
  const { file, record } = fileOf('csv', [STRING]);
  const text = await textOf(file, record('{"p0":""}'), record('{"p0":null}'), record('{"p0":"a"}'));
  expect(text).toBe('p0\n""\n""\na\n');
  const { records } = await readAll('csv', text, { settings: { hasColumnNames: true } });
  expect(records).toHaveLength(3);
});

it('csv quotes what needs it, and ends lines as the settings say', async () => {
  const { file, record } = fileOf('csv', [STRING, STRING], { separator: ';', useCRLF: true });
  const given = record('{"p0":"a;b","p1":"say \\"x\\",\\n y"}');
  expect(await textOf(file, given)).toBe('p0;p1\r\n"a;b";"say ""x"",\n y"\r\n');
});

it.each([
  [{}, '[\n{"p0":"ü😀","p1":[1.5]},\n{"p0":null,"p1":[]}\n]\n'],
  [
    { generateASCII: true },
    '[\n{"p0":"\\u00fc\\ud83d\\ude00","p1":[1.5]},\n{"p0":null,"p1":[]}\n]\n',
  ],
  [
    { indent: true },
    '[\n  {\n    "p0": "ü😀",\n    "p1": [\n      1.5\n    ]\n  },\n  {\n    "p0": null,\n    "p1": []\n  }\n]\n',
  ],
])('json is written as the settings say: %j', async (settings, text) => {
  const { file, record } = fileOf(
    'json',
    [STRING, { kind: 'array', elementType: FLOAT }],
    settings,
  );
  const records = [record('{"p0":"ü😀","p1":[1.5]}'), record('{"p0":null,"p1":[]}')];
  expect(await textOf(file, ...records)).toBe(text);
});

it.each([
  ['json', [FLOAT], {}, '{"p0":"NaN"}', 'p0 is NaN or infinite, which JSON has no number for'],
  [
    'json',
    [STRING, { kind: 'map', elementType: { kind: 'array', elementType: FLOAT } }],
    {},
    '{"p0":"a","p1":{"x":[1,"-Infinity"]}}',
    'p1 is NaN or infinite, which JSON has no number for',
  ],
  ['json', [FLOAT], { allowSpecialFloats: true }, '{"p0":"Infinity"}', undefined],
  ['json', [FLOAT], {}, '{"p0":1e300}', undefined],
  [
    'parquet',
    [{ kind: 'datetime' }],
    {},
    '{"p0":"2026-01-01T00:00:00.123456789Z"}',
    'p0 is finer than a microsecond',
  ],
  [
    'parquet',
    [{ kind: 'array', elementType: { kind: 'time' } }],
    {},
    '{"p0":["00:00:00.000000001"]}',
    'p0 is finer than a microsecond',
  ],
  ['parquet', [{ kind: 'time' }], {}, '{"p0":"00:00:00.000001"}', undefined],
  ['excel', [STRING], {}, `{"p0":"${'x'.repeat(32_767)}"}`, undefined],
  [
    'excel',
    [STRING],
    {},
    `{"p0":"${'x'.repeat(32_768)}"}`,
    'p0 is longer than 32767 characters, which a cell cannot be',
  ],
])('%s %j %j: what is wrong with a record', async (code, types, settings, json, problem) => {
  const { file, record } = fileOf(code, types, settings);
  expect(file.problemOf(record(json))).toBe(problem);
  const writing = textOf(file, record(json));
  if (problem === undefined) await writing;
  else
    await expect(writing).rejects.toEqual(
      new FileFault('InvalidFile', `record 1 cannot be written: ${problem}`),
    );
});

it('special floats are written as they are called where that is wanted', async () => {
  const { file, record } = fileOf('json', [FLOAT], { allowSpecialFloats: true });
  const texts = ['"NaN"', '"-Infinity"', '0.5'].map((value) => record(`{"p0":${value}}`));
  expect(await textOf(file, ...texts)).toBe('[\n{"p0":NaN},\n{"p0":-Infinity},\n{"p0":0.5}\n]\n');
});

it.each([
  ['x'.repeat(31), true],
  ['x'.repeat(32), false],
  ['', false],
  ['a/b', false],
  ['a[b', false],
  ["'a", false],
  ["a'b", true],
  ["a'", false],
  ['Übersicht 😀', true],
])('the sheet %j can be written: %s', (sheet, isGood) => {
  const writing = () => fileOf('excel', [STRING], { sheet });
  if (isGood) writing();
  else expect(writing).toThrow(FileFault);
});

it.each([
  [16_384, true],
  [16_385, false],
])('a sheet of %i columns can be written: %s', (count, isGood) => {
  const writing = () =>
    fileOf(
      'excel',
      Array.from({ length: count }, () => STRING),
    );
  if (isGood) writing();
  else expect(writing).toThrow('would have more than 16384 columns');
});

it.each(['csv', 'excel', 'json', 'parquet'])('%s throws what its records throw', async (code) => {
  const { record } = fileOf(code, [STRING]);
  async function* failing(error: Error) {
    yield* once(record('{"p0":"a"}'));
    throw error;
  }
  for (const compression of ['', 'Zip', 'Gzip', 'Snappy'] as const) {
    const format = formatOf(code);
    const needed = code === 'json' ? '{"properties":[{"name":"p0"}]}' : '{}';
    const file = writableFile({
      ...{ format, compression, schema: schemaOf(STRING), packed: { name: 'a', at: new Date() } },
      settings: checkedBy(format.settings)(parseJson(needed)),
    });
    const error = new Error('the warehouse is away');
    const reading = async (): Promise<void> => {
      for await (const _ of file.bytes(failing(error)));
    };
    await expect(reading()).rejects.toBe(error);
  }
});
