import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { CompressionCodec, Encoding, SchemaElement } from 'hyparquet';
import { opened } from '../testing.fixture';
import {
  dataPage,
  dictionaryPage,
  int32s,
  type MadeColumn,
  type MadePage,
  oldDataPage,
  parquetOf,
  readParquet,
  varInt,
} from './parquet-file.fixture';

type Element = Omit<SchemaElement, 'name'>;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MIB = 1_048_576;
const INT32: Element = { type: 'INT32', repetition_type: 'REQUIRED' };
const TEXT: Element = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  repetition_type: 'REQUIRED',
};

const column = (
  count: number,
  pages: readonly MadePage[],
  element = INT32,
  codec?: CompressionCodec,
): MadeColumn => ({ element, count, pages, ...(codec && { codec }) });

const refused = (message: string) => ({
  name: 'FileFault',
  kind: 'InvalidFile',
  message: 'is damaged, or cut off: its Parquet data cannot be read',
  cause: { name: 'Damaged', message },
});
const TOO_FEW = refused('a page has too few values');

const same = (bytes: Uint8Array): Uint8Array => bytes;

describe.each<[CompressionCodec, (bytes: Uint8Array) => Uint8Array]>([
  ['GZIP', gzipSync],
  ['BROTLI', brotliCompressSync],
  ['UNCOMPRESSED', same],
])('a page of %s with fewer bytes than its values take', (codec, packed) => {
  it.each<[Element, Encoding, values: number]>([
    [{ type: 'INT32' }, 'PLAIN', 4],
    [{ type: 'INT64' }, 'PLAIN', 2],
    [{ type: 'FLOAT' }, 'PLAIN', 4],
    [{ type: 'DOUBLE' }, 'PLAIN', 2],
    [{ type: 'BOOLEAN' }, 'PLAIN', 128],
    [{ type: 'INT96' }, 'PLAIN', 1],
    [{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } }, 'PLAIN', 1],
    [TEXT, 'PLAIN', 4],
    [{ type: 'INT64' }, 'BYTE_STREAM_SPLIT', 2],
    [{ type: 'DOUBLE' }, 'BYTE_STREAM_SPLIT', 2],
  ])('is refused: %j %s', async (element, encoding, values) => {
    const bytes = Buffer.alloc(16);
    const options = { size: bytes.length, compressed: true };
    const fileOf = (count: number, ...more: readonly MadePage[]): Buffer => {
      const page = dataPage(count, encoding, packed(bytes), options);
      const required: Element = { ...element, repetition_type: 'REQUIRED' };
      return parquetOf(count, [column(count, [page, ...more], required, codec)]);
    };
    const { records, errors } = await readParquet(fileOf(values));
    expect(records.length + errors.length).toBe(values);
    await expect(readParquet(fileOf(values + 1))).rejects.toMatchObject(TOO_FEW);
    const next = dataPage(values, 'PLAIN', packed(Buffer.alloc(16_384, 'S')), options);
    await expect(readParquet(fileOf(2_000, next))).rejects.toMatchObject(TOO_FEW);
  });
});

it('a dictionary of fewer bytes than its values take is refused', async () => {
  const indexes = Uint8Array.from([13, ...varInt(2), 0, 0]);
  const fileOf = (length: number): Buffer =>
    parquetOf(1, [
      column(1, [dictionaryPage(length, int32s(7)), dataPage(1, 'RLE_DICTIONARY', indexes)]),
    ]);
  expect((await readParquet(fileOf(1))).records).toEqual([{ c0: 7 }]);
  await expect(readParquet(fileOf(2))).rejects.toMatchObject(TOO_FEW);
  await expect(readParquet(fileOf(5_000))).rejects.toMatchObject(TOO_FEW);
});

it('a page of version 1 does not reach the one behind it', async () => {
  const pages = [oldDataPage(2, 'PLAIN', int32s(1)), oldDataPage(1, 'PLAIN', int32s(2))];
  await expect(readParquet(parquetOf(3, [column(3, pages)]))).rejects.toMatchObject(TOO_FEW);
});

it('levels that are longer than their page are refused', async () => {
  const page = dataPage(1, 'PLAIN', int32s(1), { levels: 5 });
  const file = parquetOf(1, [column(1, [page], { ...INT32, repetition_type: 'OPTIONAL' })]);
  await expect(readParquet(file)).rejects.toMatchObject(
    refused('the levels of a page are cut off'),
  );
});

/** Numbers by their differences: one block of one miniblock, whose differences are all the same. */
const steady = (count: number, first: number, difference = 0): number[] => {
  const zigZag = (value: number): number[] => varInt(value < 0 ? -2 * value - 1 : 2 * value);
  const block = Math.ceil(count / 128) * 128;
  return [...varInt(block), 1, ...varInt(count), ...zigZag(first), ...zigZag(difference), 0];
};

describe('texts by differences', () => {
  const fileOf = (encoding: Encoding, count: number, ...bytes: readonly number[]): Buffer =>
    parquetOf(count, [column(count, [dataPage(count, encoding, Uint8Array.from(bytes))], TEXT)]);

  it.each<[Encoding, string, number[], string]>([
    [
      'DELTA_LENGTH_BYTE_ARRAY',
      'longer than the page',
      [...steady(3, 2), 65, 65, 65, 65, 65],
      'a text is cut off',
    ],
    [
      'DELTA_LENGTH_BYTE_ARRAY',
      'of negative lengths',
      [...steady(3, 0, -1), 65, 65],
      'a length is negative',
    ],
    ['DELTA_LENGTH_BYTE_ARRAY', 'of fewer lengths', steady(2, 0), 'a page has too few values'],
    [
      'DELTA_BYTE_ARRAY',
      'longer than the page',
      [...steady(3, 0), ...steady(3, 1), 65, 65],
      'a text is cut off',
    ],
    [
      'DELTA_BYTE_ARRAY',
      'sharing what is not there',
      [...steady(3, 0, 2), ...steady(3, 1), 65, 65, 65],
      'a text shares more than there is',
    ],
    [
      'DELTA_BYTE_ARRAY',
      'of negative lengths',
      [...steady(3, -1), ...steady(3, 1), 65, 65, 65],
      'a length is negative',
    ],
  ])('%s: texts %s are refused', async (encoding, _, bytes, message) => {
    await expect(readParquet(fileOf(encoding, 3, ...bytes))).rejects.toMatchObject(
      refused(message),
    );
  });

  it('are read', async () => {
    const lengths = fileOf('DELTA_LENGTH_BYTE_ARRAY', 2, ...steady(2, 1, 1), 65, 66, 67);
    expect((await readParquet(lengths)).records).toEqual([{ c0: 'A' }, { c0: 'BC' }]);
    const shared = fileOf('DELTA_BYTE_ARRAY', 3, ...steady(3, 0, 1), ...steady(3, 1), 65, 66, 67);
    expect((await readParquet(shared)).records).toEqual([{ c0: 'A' }, { c0: 'AB' }, { c0: 'ABC' }]);
  });

  it('that grow to more than 64 MiB in all are refused', async () => {
    const count = 12_000;
    const bytes = [...steady(count, 0, 1), ...steady(count, 1), ...Array<number>(count).fill(65)];
    await expect(readParquet(fileOf('DELTA_BYTE_ARRAY', count, ...bytes))).rejects.toMatchObject(
      refused('the texts of a page are too long'),
    );
  });
});

describe('what takes no bytes takes no memory', () => {
  const COUNT = 4_194_304;
  const run = [...varInt(COUNT * 2), 0];
  const nullable: Element = { ...INT32, repetition_type: 'OPTIONAL' };

  /** Bytes that are held once the first records of a file have been read. */
  const heldBy = async (content: Buffer): Promise<number> => {
    const held = async (): Promise<number> => {
      // What a collection frees may be counted until the next one.
      for (let times = 0; times < 2; times += 1) {
        collectGarbage();
        await setTimeout(10);
      }
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = await held();
    const table = await opened('parquet', content);
    const records = table.records[Symbol.asyncIterator]();
    const first = await records.next();
    expect(first.value).toHaveLength(1_000);
    const after = await held();
    // They hold the pages until here.
    await records.return?.();
    await table.close();
    return after - before;
  };

  it.each<[string, number, number, MadePage[], Element]>([
    [
      'nulls',
      8,
      COUNT,
      [dataPage(COUNT, 'PLAIN', Uint8Array.from(run), { levels: run.length })],
      nullable,
    ],
    [
      'indexes of a dictionary',
      8,
      COUNT,
      [
        dictionaryPage(2, int32s(1, 2)),
        dataPage(COUNT, 'RLE_DICTIONARY', Uint8Array.from([1, ...run])),
      ],
      INT32,
    ],
    [
      'numbers by differences',
      8,
      COUNT,
      [dataPage(COUNT, 'DELTA_BINARY_PACKED', Uint8Array.from(steady(COUNT, 5)))],
      INT32,
    ],
    [
      'texts by lengths',
      1,
      600_000,
      [dataPage(600_000, 'DELTA_LENGTH_BYTE_ARRAY', Uint8Array.from(steady(600_000, 0)))],
      TEXT,
    ],
    [
      'texts by differences',
      1,
      300_000,
      [
        dataPage(
          300_000,
          'DELTA_BYTE_ARRAY',
          Uint8Array.from([...steady(300_000, 0), ...steady(300_000, 0)]),
        ),
      ],
      TEXT,
    ],
  ])('%s', async (_, columns, count, pages, element) => {
    const made = column(count, pages, element);
    const content = parquetOf(
      count,
      Array.from({ length: columns }, () => made),
    );
    expect(await heldBy(content)).toBeLessThan(24 * MIB);
  });
});
