import { Damaged } from './hybrid';

/** Structures and lists within each other. Those of the format are ten at most. */
const MAX_DEPTH = 16;
/** Bytes of a number of 64 bits, at seven bits a byte. */
const MAX_NUMBER_BYTES = 10;
/** Bytes of a length. One that takes more than the 32 bits of whoever reads it is beyond all bytes that there are. */
const MAX_LENGTH_BYTES = 5;
/** The length of a list stands behind its head. */
const LONG_LIST = 15;

/** Types of the compact protocol. */
const STOP = 0;
const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I16 = 4;
const I32 = 5;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;
const DOUBLE_BYTES = 8;

/** Goes over bytes of the compact protocol, and makes nothing of them. */
class Walk {
  private at = 0;
  private values = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly maxValues: number,
  ) {}

  struct(depth: number): void {
    if (depth > MAX_DEPTH) throw new Damaged('a description is nested too deep');
    for (let head = this.byte(); (head & 0x0f) !== STOP; head = this.byte()) {
      this.count(1);
      // A number of the field stands behind heads that do not say how far it is from the one before.
      if (head >> 4 === 0) this.number();
      const type = head & 0x0f;
      // The head of a field says which boolean it is.
      if (type !== TRUE && type !== FALSE) this.element(type, depth);
    }
  }

  private element(type: number, depth: number): void {
    switch (type) {
      case TRUE:
      case FALSE:
      case BYTE:
        return this.skip(1);
      case I16:
      case I32:
      case I64:
        return this.number();
      case DOUBLE:
        return this.skip(DOUBLE_BYTES);
      case BINARY:
        return this.skip(this.length());
      case LIST:
        return this.list(depth + 1);
      case STRUCT:
        return this.struct(depth + 1);
      default:
        throw new Damaged('a description has a type that is not known');
    }
  }

  private list(depth: number): void {
    if (depth > MAX_DEPTH) throw new Damaged('a description is nested too deep');
    const head = this.byte();
    const short = head >> 4;
    const size = short === LONG_LIST ? this.length() : short;
    // Each takes a byte at least, booleans too.
    this.checkLeft(size);
    this.count(size);
    for (let index = 0; index < size; index += 1) this.element(head & 0x0f, depth);
  }

  private count(values: number): void {
    this.values += values;
    if (this.values > this.maxValues) throw new Damaged('a description has too many values');
  }

  private number(): void {
    for (let length = 1; this.byte() >= 0x80; length += 1)
      if (length === MAX_NUMBER_BYTES) throw new Damaged('a number is too long');
  }

  private length(): number {
    let value = 0;
    for (let index = 0; index < MAX_LENGTH_BYTES; index += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw new Damaged('a number is too long');
  }

  private byte(): number {
    this.checkLeft(1);
    const byte = this.bytes[this.at] ?? 0;
    this.at += 1;
    return byte;
  }

  private skip(length: number): void {
    this.checkLeft(length);
    this.at += length;
  }

  private checkLeft(length: number): void {
    if (length > this.bytes.length - this.at) throw new Damaged('a description is cut off');
  }
}

/**
 * Checks a structure of Thrift's compact protocol before one is made of it: who reads it makes room for as many elements
 * as a list claims to have.
 *
 * @param maxValues fields and elements of lists, in all.
 * @throws Damaged when it ends early, is nested deeper than 16, or has more values.
 */
export const checkThrift = (bytes: Uint8Array, maxValues: number): void => {
  new Walk(bytes, maxValues).struct(1);
};
