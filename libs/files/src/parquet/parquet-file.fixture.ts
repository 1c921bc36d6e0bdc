import type { CompressionCodec, Encoding, PageHeader, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';

import { everythingIn, type Everything, opened } from '../testing.fixture';

const MAGIC = 0x31524150;

/** Everything in a file, which is closed also where it cannot be read. */
export const readParquet = async (content: Uint8Array): Promise<Everything> => {
  const table = await opened('parquet', content);
  try {
    return await everythingIn(table);
  } finally {
    await table.close();
  }
};

/** A part of a column, with what its head claims. */
export interface MadePage {
  readonly head: PageHeader;
  readonly bytes: Uint8Array;
}

/** A column, with what the description claims of it. */
export interface MadeColumn {
  readonly element: Omit<SchemaElement, 'name'>;
  readonly codec?: CompressionCodec;
  readonly pages: readonly MadePage[];
  /** Levels of all pages. */
  readonly count: number;
}

/** A page of version 2 of values that are all there, and not nested. */
export const dataPage = (
  count: number,
  encoding: Encoding,
  bytes: Uint8Array,
  { size = bytes.length, levels = 0, compressed = false } = {},
): MadePage => ({
  bytes,
  head: {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: size,
    compressed_page_size: bytes.length,
    data_page_header_v2: {
      num_values: count,
      num_nulls: 0,
      num_rows: count,
      encoding,
      definition_levels_byte_length: levels,
      repetition_levels_byte_length: 0,
      is_compressed: compressed,
    },
  },
});

/** A page of version 1. */
export const oldDataPage = (count: number, encoding: Encoding, bytes: Uint8Array): MadePage => ({
  bytes,
  head: {
    type: 'DATA_PAGE',
    uncompressed_page_size: bytes.length,
    compressed_page_size: bytes.length,
    data_page_header: {
      num_values: count,
      encoding,
      definition_level_encoding: 'RLE',
      repetition_level_encoding: 'RLE',
    },
  },
});

export const dictionaryPage = (count: number, bytes: Uint8Array): MadePage => ({
  bytes,
  head: {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: bytes.length,
    compressed_page_size: bytes.length,
    dictionary_page_header: { num_values: count, encoding: 'PLAIN' },
  },
});

const nameOf = (index: number): string => `c${String(index)}`;

/** @returns the description of the column, once its pages are written. */
const written = (writer: ByteWriter, column: MadeColumn, index: number) => {
  const start = writer.offset;
  let first: number | undefined;
  for (const { head, bytes } of column.pages) {
    if (head.type !== 'DICTIONARY_PAGE') first ??= writer.offset;
    writePageHeader(writer, head);
    writer.appendBytes(bytes);
  }
  const length = BigInt(writer.offset - start);
  return {
    file_offset: BigInt(start),
    meta_data: {
      type: column.element.type ?? 'INT32',
      encodings: [],
      path_in_schema: [nameOf(index)],
      codec: column.codec ?? 'UNCOMPRESSED',
      num_values: BigInt(column.count),
      total_uncompressed_size: length,
      total_compressed_size: length,
      data_page_offset: BigInt(first ?? start),
      ...(first !== start && { dictionary_page_offset: BigInt(start) }),
    },
  };
};

/** A Parquet file of columns that need not be what they claim. Columns are named c0, c1, … */
export const parquetOf = (rows: number, columns: readonly MadeColumn[]): Buffer => {
  const writer = new ByteWriter();
  writer.appendUint32(MAGIC);
  const described = columns.map((column, index) => written(writer, column, index));
  writeMetadata(writer, {
    version: 2,
    schema: [
      { name: 'schema', num_children: columns.length },
      ...columns.map(({ element }, index) => ({ name: nameOf(index), ...element })),
    ],
    num_rows: BigInt(rows),
    row_groups: [{ columns: described, total_byte_size: 1n, num_rows: BigInt(rows) }],
    metadata_length: 0,
  });
  writer.appendUint32(MAGIC);
  return Buffer.from(writer.getBytes());
};

/** A number as Thrift and the encodings of values write it. */
export const varInt = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
};

/** The bytes of numbers of 32 bits. */
export const int32s = (...values: readonly number[]): Buffer =>
  Buffer.from(Int32Array.from(values).buffer);
