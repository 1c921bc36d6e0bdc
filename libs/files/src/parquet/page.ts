import type { PageHeader } from 'hyparquet';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { deltaBinaryUnpack, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { decompressPage } from './codecs';
import { type Cursor, Damaged, readHybrid } from './hybrid';
import type { Leaf } from './leaf';

/** Values of a physical type as they are stored, or converted. */
export type RawValues = ArrayLike<unknown>;

/** A part of a column: its levels, and the values that are there. */
export interface Page {
  /** Levels, nulls included. */
  readonly count: number;
  /** Absent: all at the highest level. */
  readonly definitions: Int32Array | undefined;
  /** Absent: all 0. */
  readonly repetitions: Int32Array | undefined;
  /** Those at the highest level of definition, converted. */
  readonly values: RawValues;
}

/** Most values of a page. A page is about 1 MB when it is written, but values that repeat take no room. */
const MAX_PAGE_VALUES = 4_194_304;
/** Most bytes of a page, decompressed. */
export const MAX_PAGE_BYTES = 67_108_864;

const cursorOf = (bytes: Uint8Array): Cursor => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
});

const widthOf = (maxLevel: number): number => 32 - Math.clz32(maxLevel);

/** Version 1 writes the length of levels before them; the levels say by themselves where they end. */
const levelsV1 = (cursor: Cursor, maxLevel: number, count: number): Int32Array | undefined => {
  if (maxLevel === 0) return undefined;
  const length = cursor.view.getUint32(cursor.offset, true);
  const start = cursor.offset + 4;
  cursor.offset = start;
  const levels = readHybrid(cursor, widthOf(maxLevel), count);
  cursor.offset = start + length;
  return levels;
};

const levelsV2 = (bytes: Uint8Array, maxLevel: number, count: number): Int32Array | undefined =>
  maxLevel === 0 ? undefined : readHybrid(cursorOf(bytes), widthOf(maxLevel), count);

const countOf = (levels: Int32Array | undefined, maxLevel: number, count: number): number => {
  if (levels === undefined) return count;
  let present = 0;
  for (const level of levels) if (level === maxLevel) present += 1;
  return present;
};

const fromDictionary = (
  cursor: Cursor,
  count: number,
  dictionary: RawValues | undefined,
): RawValues => {
  if (dictionary === undefined) throw new Damaged('a dictionary is missing');
  const width = cursor.view.getUint8(cursor.offset);
  cursor.offset += 1;
  const indexes = readHybrid(cursor, width, count);
  const values = new Array<unknown>(count);
  for (let at = 0; at < count; at += 1) {
    const index = indexes[at] ?? 0;
    if (index < 0 || index >= dictionary.length) throw new Damaged('a dictionary is too short');
    values[at] = dictionary[index];
  }
  return values;
};

/** Behind the length that is written before them. */
const booleans = (cursor: Cursor, count: number): RawValues => {
  cursor.offset += 4;
  return Array.from(readHybrid(cursor, 1, count), (value) => value === 1);
};

/** Texts that share beginnings with the ones before: how long they are in all is known before they are made. */
const prefixed = (cursor: Cursor, count: number): RawValues => {
  const shared = new Int32Array(count);
  deltaBinaryUnpack(cursor, count, shared);
  const rests = new Array<Uint8Array>(count);
  deltaLengthByteArray(cursor, count, rests);
  let bytes = 0;
  for (let at = 0; at < count; at += 1) bytes += (shared[at] ?? 0) + (rests[at]?.length ?? 0);
  if (bytes > MAX_PAGE_BYTES) throw new Damaged('the texts of a page are too long');
  let before: Uint8Array = new Uint8Array();
  return rests.map((rest, at) => {
    before = Buffer.concat([before.subarray(0, shared[at]), rest]);
    return before;
  });
};

const rawValuesOf = (
  { type, typeLength }: Leaf,
  bytes: Uint8Array,
  count: number,
  encoding: string,
  dictionary: RawValues | undefined,
): RawValues => {
  if (count === 0) return [];
  const cursor = cursorOf(bytes);
  switch (encoding) {
    case 'PLAIN':
      return readPlain(cursor, type, count, typeLength);
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY':
      return fromDictionary(cursor, count, dictionary);
    case 'RLE':
      return booleans(cursor, count);
    case 'BYTE_STREAM_SPLIT':
      return byteStreamSplit(cursor, count, type, typeLength);
    case 'DELTA_BINARY_PACKED': {
      const values = type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count);
      deltaBinaryUnpack(cursor, count, values);
      return values;
    }
    case 'DELTA_LENGTH_BYTE_ARRAY': {
      const values = new Array<Uint8Array>(count);
      deltaLengthByteArray(cursor, count, values);
      return values;
    }
    case 'DELTA_BYTE_ARRAY':
      return prefixed(cursor, count);
    default:
      throw new Error(`encoding ${encoding} is not known`);
  }
};

/** A dictionary holds values that have been converted. */
const isOfDictionary = (encoding: string): boolean => encoding.endsWith('_DICTIONARY');

const valuesOf = (
  leaf: Leaf,
  bytes: Uint8Array,
  count: number,
  encoding: string,
  dictionary: RawValues | undefined,
): RawValues => {
  const raw = rawValuesOf(leaf, bytes, count, encoding, dictionary);
  return isOfDictionary(encoding) ? raw : Array.from(raw, leaf.convert);
};

const checkCount = (count: number): void => {
  if (count < 0 || count > MAX_PAGE_VALUES) throw new Damaged('a page has too many values');
};

/** Levels take memory, and say nothing where all are the highest. */
const needed = (
  levels: Int32Array | undefined,
  present: number,
  count: number,
): Int32Array | undefined => (present === count ? undefined : levels);

const pageV1 = (
  leaf: Leaf,
  header: PageHeader,
  bytes: Uint8Array,
  dictionary: RawValues | undefined,
): Page => {
  const { data_page_header: head } = header;
  if (head === undefined) throw new Damaged('the head of a page is missing');
  const { num_values: count, encoding } = head;
  checkCount(count);
  const content = decompressPage(leaf.codec, bytes, header.uncompressed_page_size);
  const cursor = cursorOf(content);
  const repetitions = levelsV1(cursor, leaf.maxRepetition, count);
  const definitions = levelsV1(cursor, leaf.maxDefinition, count);
  const present = countOf(definitions, leaf.maxDefinition, count);
  const rest = content.subarray(cursor.offset);
  const values = valuesOf(leaf, rest, present, encoding, dictionary);
  return { count, definitions: needed(definitions, present, count), repetitions, values };
};

const pageV2 = (
  leaf: Leaf,
  header: PageHeader,
  bytes: Uint8Array,
  dictionary: RawValues | undefined,
): Page => {
  const { data_page_header_v2: head } = header;
  if (head === undefined) throw new Damaged('the head of a page is missing');
  const { num_values: count, encoding, is_compressed: isCompressed } = head;
  const first = head.repetition_levels_byte_length;
  const second = first + head.definition_levels_byte_length;
  checkCount(count);
  const repetitions = levelsV2(bytes.subarray(0, first), leaf.maxRepetition, count);
  const definitions = levelsV2(bytes.subarray(first, second), leaf.maxDefinition, count);
  const rest = bytes.subarray(second);
  const content =
    isCompressed === false
      ? rest
      : decompressPage(leaf.codec, rest, header.uncompressed_page_size - second);
  const present = countOf(definitions, leaf.maxDefinition, count);
  const values = valuesOf(leaf, content, present, encoding, dictionary);
  return { count, definitions: needed(definitions, present, count), repetitions, values };
};

/** @throws Error when the page is damaged, or of an encoding that is not known. */
export const readPage = (
  leaf: Leaf,
  header: PageHeader,
  bytes: Uint8Array,
  dictionary: RawValues | undefined,
): Page =>
  header.type === 'DATA_PAGE_V2'
    ? pageV2(leaf, header, bytes, dictionary)
    : pageV1(leaf, header, bytes, dictionary);

/** @throws Error when the page is damaged. */
export const readDictionary = (
  { type, typeLength, codec, convert }: Leaf,
  { dictionary_page_header: head, uncompressed_page_size: length }: PageHeader,
  bytes: Uint8Array,
): RawValues => {
  if (head === undefined) throw new Damaged('the head of a dictionary is missing');
  checkCount(head.num_values);
  const content = cursorOf(decompressPage(codec, bytes, length));
  return Array.from<unknown, unknown>(
    readPlain(content, type, head.num_values, typeLength),
    convert,
  );
};
