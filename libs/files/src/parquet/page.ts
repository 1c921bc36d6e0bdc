import type { PageHeader } from 'hyparquet';
import { decompressPage } from './codecs';
import { Cursor, Damaged, Runs, viewOf } from './hybrid';
import type { Leaf } from './leaf';
import {
  bytesAt,
  LENGTH_BYTES,
  type Next,
  plainAt,
  type Stored,
  texts,
  type ValueAt,
  valuesIn,
} from './values';

/** Values that pages name by their places. */
export interface Dictionary {
  readonly length: number;
  /** Converted. */
  readonly valueAt: ValueAt;
}

/** Values of a dictionary that are converted once. Those of a larger one repeat little, and take more than they do as stored. */
const MAX_CONVERTED = 4_096;

/**
 * A part of a column: its levels, and the values that are there. Both are read one by one, from the bytes that are
 * stored: whatever a page claims to hold takes no more memory than those.
 */
export interface Page {
  /** Levels, nulls included. */
  readonly count: number;
  /** Rows that begin in it. */
  readonly rows: number;
  /** Absent: all at the highest level. */
  readonly definitions: Runs | undefined;
  /** Absent: all 0. */
  readonly repetitions: Runs | undefined;
  /** The next of those at the highest level of definition, converted. */
  readonly next: Next;
}

/** Most values of a page. A page is about 1 MB when it is written, but values that repeat take no room. */
const MAX_PAGE_VALUES = 4_194_304;

const widthOf = (maxLevel: number): number => 32 - Math.clz32(maxLevel);

/** Bytes of levels. Absent: all are 0. */
type LevelBytes = Uint8Array | undefined;

/** Version 1 writes the length of levels before them. */
const levelsV1 = (cursor: Cursor, maxLevel: number): LevelBytes => {
  if (maxLevel === 0) return undefined;
  const { view, offset } = cursor;
  const length = view.getUint32(offset, true);
  cursor.offset = offset + LENGTH_BYTES + length;
  return new Uint8Array(view.buffer, view.byteOffset + offset + LENGTH_BYTES, length);
};

const levelsV2 = (bytes: Uint8Array, maxLevel: number): LevelBytes =>
  maxLevel === 0 ? undefined : bytes;

/** What a page holds, decompressed. */
interface Content {
  readonly count: number;
  readonly encoding: string;
  readonly repetitions: LevelBytes;
  readonly definitions: LevelBytes;
  readonly values: Uint8Array;
}

const fromDictionary = (view: DataView, dictionary: Dictionary | undefined): Next => {
  if (dictionary === undefined) throw new Damaged('a dictionary is missing');
  const cursor = new Cursor(view);
  const width = cursor.byte();
  const { length, valueAt } = dictionary;
  const indexes = new Runs(
    new DataView(view.buffer, view.byteOffset + 1, view.byteLength - 1),
    width,
  );
  return () => {
    const index = indexes.next();
    if (index >= length) throw new Damaged('a dictionary is too short');
    return valueAt(index);
  };
};

/** A dictionary holds values that have been converted. */
const isOfDictionary = (encoding: string): boolean =>
  encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY';

const NOTHING: Next = () => undefined;

const valuesOf = (
  leaf: Leaf,
  { values, encoding }: Content,
  count: number,
  dictionary: Dictionary | undefined,
): Next => {
  if (count === 0) return NOTHING;
  const view = viewOf(values);
  if (isOfDictionary(encoding)) return fromDictionary(view, dictionary);
  const { convert } = leaf;
  const next = valuesIn({ leaf, view, count }, encoding);
  return () => convert(next());
};

/** How many of the levels are a certain one. @throws Error when there are fewer. */
const matching = (levels: Uint8Array, maxLevel: number, wanted: number, count: number): number =>
  new Runs(viewOf(levels), widthOf(maxLevel)).matches(wanted, count);

/** Reads levels one by one; they say nothing where all are the same. */
const levelsOf = (levels: LevelBytes, maxLevel: number, areSame: boolean): Runs | undefined =>
  levels === undefined || areSame ? undefined : new Runs(viewOf(levels), widthOf(maxLevel));

const pageOf = (leaf: Leaf, content: Content, dictionary: Dictionary | undefined): Page => {
  const { maxDefinition, maxRepetition } = leaf;
  const { count, definitions, repetitions } = content;
  const present =
    definitions === undefined ? count : matching(definitions, maxDefinition, maxDefinition, count);
  const rows = repetitions === undefined ? count : matching(repetitions, maxRepetition, 0, count);
  return {
    count,
    rows,
    definitions: levelsOf(definitions, maxDefinition, present === count),
    repetitions: levelsOf(repetitions, maxRepetition, rows === count),
    next: valuesOf(leaf, content, present, dictionary),
  };
};

const checkCount = (count: number): void => {
  if (!(count >= 0 && count <= MAX_PAGE_VALUES)) throw new Damaged('a page has too many values');
};

const contentV1 = (leaf: Leaf, header: PageHeader, bytes: Uint8Array): Content => {
  const { data_page_header: head } = header;
  if (head === undefined) throw new Damaged('the head of a page is missing');
  const { num_values: count, encoding } = head;
  checkCount(count);
  const content = decompressPage(leaf.codec, bytes, header.uncompressed_page_size);
  const cursor = new Cursor(viewOf(content));
  const repetitions = levelsV1(cursor, leaf.maxRepetition);
  const definitions = levelsV1(cursor, leaf.maxDefinition);
  const values = content.subarray(cursor.offset);
  return { count, encoding, repetitions, definitions, values };
};

/** Levels of version 2 stand before the values, and are not compressed. */
const contentV2 = (leaf: Leaf, header: PageHeader, bytes: Uint8Array): Content => {
  const { data_page_header_v2: head } = header;
  if (head === undefined) throw new Damaged('the head of a page is missing');
  const { num_values: count, encoding, is_compressed: isCompressed } = head;
  const first = head.repetition_levels_byte_length;
  const second = first + head.definition_levels_byte_length;
  checkCount(count);
  if (!(first >= 0 && second >= first && second <= bytes.length))
    throw new Damaged('the levels of a page are cut off');
  const codec = isCompressed === false ? 'UNCOMPRESSED' : leaf.codec;
  const size = header.uncompressed_page_size - second;
  const values = decompressPage(codec, bytes.subarray(second), size);
  const levels = new Uint8Array(bytes.subarray(0, second));
  const repetitions = levelsV2(levels.subarray(0, first), leaf.maxRepetition);
  const definitions = levelsV2(levels.subarray(first), leaf.maxDefinition);
  return { count, encoding, repetitions, definitions, values };
};

/** @throws Error when the page is damaged, or of an encoding that is not known; also when its values are taken. */
export const readPage = (
  leaf: Leaf,
  header: PageHeader,
  bytes: Uint8Array,
  dictionary: Dictionary | undefined,
): Page => {
  const contentOf = header.type === 'DATA_PAGE_V2' ? contentV2 : contentV1;
  return pageOf(leaf, contentOf(leaf, header, bytes), dictionary);
};

/** Texts by their places: where each begins is kept, which takes less than a view of each. */
const textsAt = (stored: Stored): ValueAt => {
  const { view, count } = stored;
  const next = texts(stored);
  const starts = new Int32Array(count);
  for (let place = 0, start = 0; place < count; place += 1) {
    starts[place] = start;
    start += LENGTH_BYTES + next().length;
  }
  return (place) => {
    const start = starts[place] ?? 0;
    return bytesAt(view, start + LENGTH_BYTES, view.getUint32(start, true));
  };
};

/** Bytes that the places of texts take. */
export const placesBytes = ({ type }: Leaf, { dictionary_page_header: head }: PageHeader): number =>
  type === 'BYTE_ARRAY' && head !== undefined && head.num_values > MAX_CONVERTED
    ? head.num_values * LENGTH_BYTES
    : 0;

/** @throws Error when the page is damaged. */
export const readDictionary = (
  leaf: Leaf,
  { dictionary_page_header: head, uncompressed_page_size: size }: PageHeader,
  bytes: Uint8Array,
): Dictionary => {
  if (head === undefined) throw new Damaged('the head of a dictionary is missing');
  const { num_values: length } = head;
  checkCount(length);
  if (length === 0) return { length, valueAt: NOTHING };
  const view = viewOf(decompressPage(leaf.codec, bytes, size));
  const stored = { leaf, view, count: length };
  const { convert } = leaf;
  if (length <= MAX_CONVERTED) {
    const next = valuesIn(stored, 'PLAIN');
    const values = Array.from({ length }, () => convert(next()));
    return { length, valueAt: (place) => values[place] };
  }
  const storedAt = plainAt(stored) ?? textsAt(stored);
  return { length, valueAt: (place) => convert(storedAt(place)) };
};
