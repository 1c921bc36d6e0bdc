import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import {
  compileCodec,
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  parseJson,
  type RecordValue,
  textOf,
  type Type,
  type Value,
  valueToJson,
  writeJson,
} from '@penstock/schema';
import { checkedBy } from '@penstock/settings';
import { COMPRESSIONS, type Compression } from './compression/decompressed';
import { cellOf } from './excel/cell-writer';
import { shownText, storedText } from './excel/cell-text';
import { independentlyRead } from './independent/independent-files.fixture';
import { formatOf, readAll } from './testing.fixture';
import { writableFile } from './write-file';
import { EVERY_KIND, filled, isSpecial, recordsOf } from './written-records.fixture';

jest.setTimeout(300_000);

const { properties } = EVERY_KIND;
const NAMES = properties.map(({ name }) => name);
const SHEET = "Users' & <all>";
const folder = mkdtempSync(join(tmpdir(), 'penstock-written-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Records in batches of several lengths, empty ones too. */
async function* batches(records: readonly RecordValue[]): AsyncGenerator<readonly RecordValue[]> {
  yield await Promise.resolve([]);
  for (let at = 0, length = 1; at < records.length; at += length, length = (length % 7) + 1)
    yield records.slice(at, at + length);
}

const written = (
  code: string,
  records: readonly RecordValue[],
  compression: Compression = '',
  settings: object = {},
): Promise<Buffer> => {
  const format = formatOf(code);
  const needed = code === 'json' ? { properties: NAMES.map((name) => ({ name })) } : {};
  const file = writableFile({
    format,
    compression,
    packed: { name: 'users', at: new Date(2026, 0, 2, 3, 4, 6) },
    schema: EVERY_KIND,
    sheet: SHEET,
    settings: checkedBy(format.settings)(parseJson(JSON.stringify({ ...needed, ...settings }))),
  });
  expect(records.map((record) => file.problemOf(record))).toEqual(records.map(() => undefined));
  return buffer(Readable.from(file.bytes(batches(records))));
};

const cellTexts = (record: RecordValue): string[] =>
  properties.map(({ name, type }) => {
    const value = record[name] ?? null;
    return value === null ? '' : textOf(type, value);
  });

/** As our reader of csv gives it, which takes the end of a line for a line feed everywhere. */
const asCsv = (record: RecordValue): string[] =>
  cellTexts(record).map((cell) => cell.replace(/\r\n/g, '\n'));

/** As a sheet shows it: a moment that is a number has no zone. */
const asShown = (record: RecordValue): string[] =>
  properties.map(({ name, type }) => {
    const value = record[name] ?? null;
    if (value === null) return '';
    const cell = cellOf(type, value);
    const text = textOf(type, value);
    return type.kind === 'datetime' && cell.kind === 'number' ? text.replace('Z', '') : text;
  });

const valuesOf = (records: readonly unknown[]): unknown[] =>
  records.map((record) => Object.values(record as object) as unknown[]);

const COMPRESSION = fc.constantFrom(...COMPRESSIONS);

it('csv reads back as it was written', async () => {
  const rules = fc.record({
    separator: fc.constantFrom(',', ';', '\t', '|', 'x'),
    useCRLF: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      recordsOf(EVERY_KIND),
      COMPRESSION,
      rules,
      async (records, compression, rule) => {
        const content = await written('csv', records, compression, rule);
        const { separator } = rule;
        const settings = { separator, hasColumnNames: true };
        const read = await readAll('csv', content, { settings, compression });
        expect(read.errors).toEqual([]);
        expect(read.properties).toEqual(NAMES);
        expect(valuesOf(read.records)).toEqual(records.map(asCsv));
      },
    ),
    { numRuns: 25 },
  );
});

it('json reads back as it was written, to the last digit', async () => {
  const rules = fc.record({ indent: fc.boolean(), generateASCII: fc.boolean() });
  const codec = compileCodec(EVERY_KIND);
  await fc.assert(
    fc.asyncProperty(recordsOf(EVERY_KIND), COMPRESSION, rules, async (all, compression, rule) => {
      const records = all.filter((record) => !isSpecial(record));
      const content = await written('json', records, compression, rule);
      if (rule.generateASCII && compression === '')
        expect(content.every((byte) => byte < 0x80)).toBe(true);
      const settings = { properties: NAMES.map((name) => ({ name })) };
      const read = await readAll('json', content, { settings, compression });
      expect(read.errors).toEqual([]);
      const texts = records.map((record) => writeJson(parseJson(codec.encode(record))));
      expect(read.texts.map((text) => writeJson(parseJson(text)))).toEqual(texts);
    }),
    { numRuns: 25 },
  );
});

it('excel reads back as it was written', async () => {
  await fc.assert(
    fc.asyncProperty(recordsOf(EVERY_KIND), COMPRESSION, async (records, compression) => {
      const content = await written('excel', records, compression);
      const read = await readAll('excel', content, {
        ...{ settings: { hasColumnNames: true }, compression, sheet: SHEET },
        options: { spool: { folder: tmpdir(), maxBytes: 2 ** 26 } },
      });
      expect(read.errors).toEqual([]);
      expect(read.properties).toEqual(NAMES);
      const shown = records.map(asShown).filter((row) => row.some((text) => text !== ''));
      expect(valuesOf(read.records)).toEqual(shown);
    }),
    { numRuns: 15 },
  );
});

it('parquet reads back as it was written', async () => {
  const codec = compileCodec(EVERY_KIND);
  await fc.assert(
    fc.asyncProperty(recordsOf(EVERY_KIND), COMPRESSION, async (records, compression) => {
      const content = await written('parquet', records, compression);
      const read = await readAll('parquet', content, { compression });
      expect([read.errors, read.issues]).toEqual([[], []]);
      expect(read.properties).toEqual(NAMES);
      const texts = records.map((record) =>
        codec.encode(filled(EVERY_KIND, record) as RecordValue),
      );
      expect(read.texts.map((text) => writeJson(parseJson(text)))).toEqual(
        texts.map((text) => writeJson(parseJson(text))),
      );
    }),
    { numRuns: 25 },
  );
});

/** The bits of a number, as the reading program names them. */
const bitsOf = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN';
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  return bytes.toString('hex');
};

/** What the program says of a value in a Parquet file. */
const parquetPlain = (type: Type, value: Value | undefined): unknown => {
  if (value === undefined || value === null) return null;
  switch (type.kind) {
    case 'float':
      return bitsOf(value as number);
    case 'array':
      return (value as readonly Value[]).map((each) => parquetPlain(type.elementType, each));
    case 'map': {
      const pairs = Array.from(value as ReadonlyMap<string, Value>, ([key, each]) => [
        key,
        parquetPlain(type.elementType, each),
      ]);
      // An empty map looks like an empty list to the program, which sorts keys by code points.
      if (pairs.length === 0) return [];
      return {
        map: pairs.sort(([a], [b]) => Buffer.from(String(a)).compare(Buffer.from(String(b)))),
      };
    }
    case 'object':
      return Object.fromEntries(
        type.properties.map(({ name, type: of }) => [
          name,
          parquetPlain(of, (value as RecordValue)[name]),
        ]),
      );
    default:
      return textOf(type, value);
  }
};

/** What the program says of a cell of a sheet. */
const sheetPlain = (record: RecordValue): unknown[] =>
  properties.map(({ name, type }) => {
    const value = record[name] ?? null;
    if (value === null) return null;
    const cell = cellOf(type, value);
    if (cell.text === '') return null;
    if (cell.kind === 'boolean') return value === true ? 'true' : 'false';
    if (cell.kind === 'text') return storedText(cell.text);
    if (type.kind === 'datetime') return ['moment', textOf(type, value).replace('Z', '')];
    if (type.kind === 'date') return ['moment', `${textOf(type, value)}T00:00:00`];
    if (type.kind === 'time') return ['time', textOf(type, value)];
    return ['number', bitsOf(Number(cell.text))];
  });

const jsonPlain = (json: Json): unknown => {
  if (json instanceof JsonNumber) return { number: json.text };
  if (isJsonArray(json)) return json.map(jsonPlain);
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(Array.from(json, ([name, each]) => [name, jsonPlain(each)]));
};

const SUFFIXES: Readonly<Record<Compression, string>> = {
  '': '',
  Gzip: '.gz',
  Snappy: '.sz',
  Zip: '.zip',
};

it('other programs read the same', async () => {
  const samples = fc.sample(recordsOf(EVERY_KIND), 24).filter((each) => each.length > 2);
  const files: { name: string; records: readonly RecordValue[]; code: string }[] = [];
  mkdirSync(join(folder, 'files'));
  for (const [index, all] of samples.entries())
    for (const [code, extension] of [
      ['csv', 'csv'],
      ['json', 'json'],
      ['excel', 'xlsx'],
      ['parquet', 'parquet'],
    ] as const) {
      const compression = COMPRESSIONS[index % COMPRESSIONS.length] ?? '';
      const records = code === 'json' ? all.filter((each) => !isSpecial(each)) : all;
      const name = `${String(index)}.${extension}${SUFFIXES[compression]}`;
      const rule = code === 'csv' ? { useCRLF: index % 2 === 1 } : {};
      writeFileSync(join(folder, 'files', name), await written(code, records, compression, rule));
      files.push({ name, records, code });
    }
  const read = independentlyRead(join(folder, 'files'));
  for (const { name, records, code } of files) {
    if (code === 'csv') expect(read[name]).toEqual([NAMES, ...records.map(cellTexts)]);
    if (code === 'json')
      expect(read[name]).toEqual(
        records.map((record) => jsonPlain(valueToJson(EVERY_KIND, record))),
      );
    if (code === 'excel') {
      const { sheets, rows } = read[name] as { sheets: unknown; rows: unknown[] };
      expect([sheets, rows]).toEqual([[SHEET], [NAMES, ...records.map(sheetPlain)]]);
    }
    if (code === 'parquet')
      expect(read[name]).toMatchObject({
        names: NAMES,
        rows: records.map((record) => parquetPlain(EVERY_KIND, record)),
      });
  }
});

it.each([
  ['csv', `${NAMES.join()}\n`],
  ['json', '[]\n'],
])('a file without records is one: %s', async (code, text) => {
  expect((await written(code, [])).toString()).toBe(text);
});

it('texts of cells are read as they were stored', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(shownText(storedText(text))).toBe(text);
    }),
  );
});
