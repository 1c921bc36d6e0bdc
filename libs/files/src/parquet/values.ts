import { Deltas } from './deltas';
import { Damaged, Runs } from './hybrid';
import type { Leaf } from './leaf';

/** Gives the next value of a page as it is stored. Those of a page are made when they are taken, which takes no memory before. */
export type Next = () => unknown;
/** Gives a value by its place. */
export type ValueAt = (place: number) => unknown;

/** Most bytes of a page, decompressed. */
export const MAX_PAGE_BYTES = 67_108_864;
/** Of a length that is written before what it is of. */
export const LENGTH_BYTES = 4;
const BYTE_BITS = 8;
const HALF_BITS = 64n;
const INT96_HIGH = 8;

/** What encodings read: values of a column, so many, and their bytes. */
export interface Stored {
  readonly leaf: Pick<Leaf, 'type' | 'typeLength'>;
  readonly view: DataView;
  readonly count: number;
}

const tooFew = (): Damaged => new Damaged('a page has too few values');
const notKnown = (encoding: string): Error => new Error(`encoding ${encoding} is not known`);

/** @throws Damaged when there are fewer bytes. */
const need = ({ view }: Stored, bytes: number): void => {
  if (bytes > view.byteLength) throw tooFew();
};

/** Bytes of a value; undefined where they differ, or are not whole. */
const widthOf = ({ type, typeLength = 0 }: Stored['leaf']): number | undefined => {
  switch (type) {
    case 'INT32':
    case 'FLOAT':
      return 4;
    case 'INT64':
    case 'DOUBLE':
      return 8;
    case 'INT96':
      return 12;
    case 'FIXED_LEN_BYTE_ARRAY':
      if (typeLength <= 0) throw new Damaged('values have no length');
      return typeLength;
    default:
      return undefined;
  }
};

/** A part of the bytes. @throws Damaged when it is not all there. */
export const bytesAt = (view: DataView, from: number, length: number): Uint8Array => {
  if (length < 0 || from + length > view.byteLength) throw new Damaged('a text is cut off');
  return new Uint8Array(view.buffer, view.byteOffset + from, length);
};

/** A value of a fixed width, by where it begins. */
const fixedAt = ({ leaf: { type, typeLength = 0 }, view }: Stored): ValueAt => {
  switch (type) {
    case 'INT32':
      return (at) => view.getInt32(at, true);
    case 'INT64':
      return (at) => view.getBigInt64(at, true);
    case 'FLOAT':
      return (at) => view.getFloat32(at, true);
    case 'DOUBLE':
      return (at) => view.getFloat64(at, true);
    case 'INT96':
      return (at) =>
        (BigInt(view.getInt32(at + INT96_HIGH, true)) << HALF_BITS) | view.getBigUint64(at, true);
    default:
      return (at) => bytesAt(view, at, typeLength);
  }
};

/** Values without an encoding whose places are known; undefined for those that have their lengths before them. */
export const plainAt = (stored: Stored): ValueAt | undefined => {
  const { leaf, view, count } = stored;
  if (leaf.type === 'BOOLEAN') {
    need(stored, Math.ceil(count / BYTE_BITS));
    return (place) => ((view.getUint8(place >>> 3) >>> (place & 7)) & 1) === 1;
  }
  const width = widthOf(leaf);
  if (width === undefined) return undefined;
  need(stored, count * width);
  const at = fixedAt(stored);
  return (place) => at(place * width);
};

const inOrder = (at: ValueAt): Next => {
  let place = 0;
  return () => {
    place += 1;
    return at(place - 1);
  };
};

/** Texts behind their lengths. */
export const texts = (stored: Stored): (() => Uint8Array) => {
  const { view, count } = stored;
  need(stored, count * LENGTH_BYTES);
  let at = 0;
  return () => {
    const from = at + LENGTH_BYTES;
    const text = bytesAt(view, from, view.getUint32(at, true));
    at = from + text.length;
    return text;
  };
};

const plain = (stored: Stored): Next => {
  const at = plainAt(stored);
  return at === undefined ? texts(stored) : inOrder(at);
};

/** Behind the length that is written before them. */
const booleans = ({ view }: Stored): Next => {
  const runs = new Runs(
    new DataView(view.buffer, view.byteOffset + LENGTH_BYTES, view.byteLength - LENGTH_BYTES),
    1,
  );
  return () => runs.next() === 1;
};

/** The first bytes of all values, then the second ones, and so on. */
const split = (stored: Stored): Next => {
  const { leaf, view, count } = stored;
  const width = widthOf(leaf) ?? 0;
  need(stored, count * width);
  let place = 0;
  return () => {
    const value = new Uint8Array(width);
    for (let index = 0; index < width; index += 1)
      value[index] = view.getUint8(index * count + place);
    place += 1;
    return fixedAt({ leaf, view: new DataView(value.buffer), count: 1 })(0);
  };
};

const differences = ({ leaf, view, count }: Stored): Next => {
  const deltas = new Deltas(view, 0, count);
  if (leaf.type === 'INT32') {
    let value = 0;
    return () => (value = deltas.next32(value));
  }
  let value = 0n;
  return () => (value = deltas.next64(value));
};

/** Lengths that are stored by their differences, one by one. */
class Lengths {
  private readonly deltas: Deltas;
  private value = 0;

  constructor(view: DataView, start: number, count: number) {
    this.deltas = new Deltas(view, start, count);
  }

  /** Where those that have been read end. */
  get end(): number {
    return this.deltas.end;
  }

  /** @throws Damaged when it is negative. */
  next(): number {
    this.value = this.deltas.next32(this.value);
    if (this.value < 0) throw new Damaged('a length is negative');
    return this.value;
  }

  /** @returns where all of them end. */
  skip(count: number): number {
    for (let index = 0; index < count; index += 1) this.next();
    return this.end;
  }
}

/** Texts behind the lengths of all of them. */
const lengthsFirst = ({ view, count }: Stored, start: number): (() => Uint8Array) => {
  let at = new Lengths(view, start, count).skip(count);
  const lengths = new Lengths(view, start, count);
  return () => {
    const text = bytesAt(view, at, lengths.next());
    at += text.length;
    return text;
  };
};

/** @throws Damaged when texts share more than the ones before have, or become too long in all. */
const checkShared = ({ view, count }: Stored, start: number): void => {
  const shared = new Lengths(view, 0, count);
  const rests = new Lengths(view, start, count);
  let bytes = 0;
  for (let index = 0, before = 0; index < count; index += 1) {
    const prefix = shared.next();
    if (prefix > before) throw new Damaged('a text shares more than there is');
    before = prefix + rests.next();
    bytes += before;
    if (bytes > MAX_PAGE_BYTES) throw new Damaged('the texts of a page are too long');
  }
};

/** Texts that share beginnings with the ones before: how long they are in all is known before they are made. */
const prefixed = (stored: Stored): (() => Uint8Array) => {
  const { view, count } = stored;
  const start = new Lengths(view, 0, count).skip(count);
  checkShared(stored, start);
  const shared = new Lengths(view, 0, count);
  const rest = lengthsFirst(stored, start);
  let before: Uint8Array = new Uint8Array();
  return () => {
    const [prefix, end] = [before.subarray(0, shared.next()), rest()];
    before = new Uint8Array(prefix.length + end.length);
    before.set(prefix);
    before.set(end, prefix.length);
    return before;
  };
};

/** Encodings but those of a dictionary, and the types that they are of. */
const ENCODINGS: Readonly<
  Record<string, readonly [types: RegExp, read: (stored: Stored) => Next]>
> = {
  PLAIN: [/./, plain],
  RLE: [/^BOOLEAN$/, booleans],
  BYTE_STREAM_SPLIT: [/^(FLOAT|DOUBLE|INT32|INT64|FIXED_LEN_BYTE_ARRAY)$/, split],
  DELTA_BINARY_PACKED: [/^INT(32|64)$/, differences],
  DELTA_LENGTH_BYTE_ARRAY: [/^BYTE_ARRAY$/, (stored) => lengthsFirst(stored, 0)],
  DELTA_BYTE_ARRAY: [/^(FIXED_LEN_)?BYTE_ARRAY$/, prefixed],
};

/**
 * Values of a page, in their order.
 *
 * @throws Error when there are too few, or the encoding is not known; later too.
 */
export const valuesIn = (stored: Stored, encoding: string): Next => {
  const [types, read] = ENCODINGS[encoding] ?? [];
  if (read === undefined || types?.test(stored.leaf.type) !== true) throw notKnown(encoding);
  return read(stored);
};
