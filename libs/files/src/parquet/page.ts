import type { PageHeader } from 'hyparquet';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { deltaBinaryUnpack, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { decompressPage } from './codecs';
import { type Cursor, Damaged, readHybrid } from './hybrid';
import type { Leaf } from './leaf';

/** Values by their places. Those of a page are made when they are taken: it holds them as they are stored, which takes less. */
type ValueAt = (place: number) => unknown;

/** Values that pages name by their places. */
export interface Dictionary {
  readonly length: number;
  /** Converted. */
  readonly valueAt: ValueAt;
}

/** Values of a dictionary that are converted once. Those of a larger one repeat little, and take more than they do as stored. */
const MAX_CONVERTED = 4_096;

/** A part of a column: its levels, and the values that are there. */
export interface Page {
  /** Levels, nulls included. */
  readonly count: number;
  /** Absent: all at the highest level. */
  readonly definitions: Int32Array | undefined;
  /** Absent: all 0. */
  readonly repetitions: Int32Array | undefined;
  /** Those at the highest level of definition, converted. */
  readonly valueAt: ValueAt;
}

/** Most values of a page. A page is about 1 MB when it is written, but values that repeat take no room. */
const MAX_PAGE_VALUES = 4_194_304;
/** Most bytes of a page, decompressed. */
export const MAX_PAGE_BYTES = 67_108_864;

/** Of a length that is written before what it is of. */
const LENGTH_BYTES = 4;

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
  dictionary: Dictionary | undefined,
): ValueAt => {
  if (dictionary === undefined) throw new Damaged('a dictionary is missing');
  const width = cursor.view.getUint8(cursor.offset);
  cursor.offset += 1;
  const indexes = readHybrid(cursor, width, count);
  for (const index of indexes)
    if (index < 0 || index >= dictionary.length) throw new Damaged('a dictionary is too short');
  return (place) => dictionary.valueAt(indexes[place] ?? 0);
};

/** As they are stored: a view of each would take more than all of them. */
const byteArrays = ({ view, offset }: Cursor, count: number): ValueAt => {
  const starts = new Int32Array(count + 1);
  let start = offset;
  for (let place = 0; place < count; place += 1) {
    start += LENGTH_BYTES;
    starts[place] = start;
    start += view.getUint32(start - LENGTH_BYTES, true);
  }
  if (start > view.byteLength) throw new Damaged('a text is cut off');
  starts[count] = start + LENGTH_BYTES;
  return (place) => {
    const [from = 0, next = 0] = [starts[place], starts[place + 1]];
    return new Uint8Array(view.buffer, view.byteOffset + from, next - LENGTH_BYTES - from);
  };
};

/** Behind the length that is written before them. */
const booleans = (cursor: Cursor, count: number): ArrayLike<boolean> => {
  cursor.offset += LENGTH_BYTES;
  return Array.from(readHybrid(cursor, 1, count), (value) => value === 1);
};

/** Texts that share beginnings with the ones before: how long they are in all is known before they are made. */
const prefixed = (cursor: Cursor, count: number): ArrayLike<Uint8Array> => {
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

const arrayOf = (
  { type, typeLength }: Leaf,
  cursor: Cursor,
  count: number,
  encoding: string,
): ArrayLike<unknown> => {
  switch (encoding) {
    case 'PLAIN':
      return readPlain(cursor, type, count, typeLength);
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
const isOfDictionary = (encoding: string): boolean =>
  encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY';

const NOTHING: ValueAt = () => undefined;

const convertedValues = (leaf: Leaf, cursor: Cursor, count: number, encoding: string): ValueAt => {
  const { convert } = leaf;
  if (encoding === 'PLAIN' && leaf.type === 'BYTE_ARRAY') {
    const bytesAt = byteArrays(cursor, count);
    return (place) => convert(bytesAt(place));
  }
  const values = arrayOf(leaf, cursor, count, encoding);
  if (values.length < count) throw new Damaged('a page has too few values');
  return (place) => convert(values[place]);
};

const valuesOf = (
  leaf: Leaf,
  bytes: Uint8Array,
  count: number,
  encoding: string,
  dictionary: Dictionary | undefined,
): ValueAt => {
  if (count === 0) return NOTHING;
  const cursor = cursorOf(bytes);
  return isOfDictionary(encoding)
    ? fromDictionary(cursor, count, dictionary)
    : convertedValues(leaf, cursor, count, encoding);
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
  dictionary: Dictionary | undefined,
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
  const valueAt = valuesOf(leaf, rest, present, encoding, dictionary);
  return { count, definitions: needed(definitions, present, count), repetitions, valueAt };
};

const pageV2 = (
  leaf: Leaf,
  header: PageHeader,
  bytes: Uint8Array,
  dictionary: Dictionary | undefined,
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
  const valueAt = valuesOf(leaf, content, present, encoding, dictionary);
  return { count, definitions: needed(definitions, present, count), repetitions, valueAt };
};

/** @throws Error when the page is damaged, or of an encoding that is not known. */
export const readPage = (
  leaf: Leaf,
  header: PageHeader,
  bytes: Uint8Array,
  dictionary: Dictionary | undefined,
): Page =>
  header.type === 'DATA_PAGE_V2'
    ? pageV2(leaf, header, bytes, dictionary)
    : pageV1(leaf, header, bytes, dictionary);

/** @throws Error when the page is damaged. */
export const readDictionary = (
  leaf: Leaf,
  { dictionary_page_header: head, uncompressed_page_size: length }: PageHeader,
  bytes: Uint8Array,
): Dictionary => {
  if (head === undefined) throw new Damaged('the head of a dictionary is missing');
  const { num_values: count } = head;
  checkCount(count);
  if (count === 0) return { length: 0, valueAt: NOTHING };
  const content = cursorOf(decompressPage(leaf.codec, bytes, length));
  const valueAt = convertedValues(leaf, content, count, 'PLAIN');
  if (count > MAX_CONVERTED) return { length: count, valueAt };
  const values = Array.from({ length: count }, (_, place) => valueAt(place));
  return { length: count, valueAt: (place) => values[place] };
};
