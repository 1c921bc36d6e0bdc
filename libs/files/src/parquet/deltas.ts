import { bitsAt, Cursor, Damaged } from './hybrid';

/** Bytes of a number of 64 bits, at seven bits a byte. */
const MAX_NUMBER_BYTES = 10;
const MAX_WIDTH = 64;
const HALF = 32;
const BYTE_BITS = 8;

/** A number with a sign, of up to 64 bits. */
const zigZag = (cursor: Cursor): bigint => {
  let value = 0n;
  for (let index = 0; index < MAX_NUMBER_BYTES; index += 1) {
    const byte = cursor.byte();
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
  }
  throw new Damaged('a number is too long');
};

/**
 * Numbers that are stored by their differences (DELTA_BINARY_PACKED), one by one: a block may hold any number of them in
 * no bytes.
 */
export class Deltas {
  private readonly cursor: Cursor;
  /** Numbers of a miniblock. */
  private readonly perMini: number;
  private readonly minis: number;
  private readonly first: bigint;
  private isFirst = true;
  /** Of the block: the smallest difference, and where the widths of miniblocks are that have not been read. */
  private least = 0n;
  private leastLow = 0;
  private widths = 0;
  private minisLeft = 0;
  /** Of the miniblock. */
  private left = 0;
  private width = 0;
  private bit = 0;

  /** @throws Damaged or RangeError when there are fewer numbers, or blocks that the format does not have. */
  constructor(view: DataView, start: number, count: number) {
    const cursor = new Cursor(view, start);
    const block = cursor.varInt();
    this.minis = cursor.varInt();
    const total = cursor.varInt();
    this.first = zigZag(cursor);
    this.perMini = block / this.minis;
    if (this.minis === 0 || block === 0 || this.perMini % BYTE_BITS !== 0)
      throw new Damaged('a block of differences cannot be');
    if (total < count) throw new Damaged('a page has too few values');
    this.cursor = cursor;
  }

  /** Where the bytes of the numbers that have been read end. */
  get end(): number {
    return this.cursor.offset;
  }

  /** The next number of 64 bits, after the one before. @throws Damaged or RangeError when there is none. */
  next64(before: bigint): bigint {
    if (this.takeFirst()) return this.first;
    let rest = BigInt(this.bits(0, Math.min(this.width, HALF)));
    if (this.width > HALF) rest |= BigInt(this.bits(HALF, this.width - HALF)) << BigInt(HALF);
    this.bit += this.width;
    return BigInt.asIntN(64, before + this.least + rest);
  }

  /** The next number of 32 bits, after the one before. @throws Damaged or RangeError when there is none. */
  next32(before: number): number {
    if (this.takeFirst()) return Number(BigInt.asIntN(32, this.first));
    const rest = this.bits(0, Math.min(this.width, HALF));
    this.bit += this.width;
    return (before + this.leastLow + rest) | 0;
  }

  private bits(from: number, width: number): number {
    return bitsAt(this.cursor.view, this.bit + from, width);
  }

  /** Goes to the next number. @returns whether it is the first, which is no difference. */
  private takeFirst(): boolean {
    if (this.isFirst) {
      this.isFirst = false;
      return true;
    }
    if (this.left === 0) this.turn();
    this.left -= 1;
    return false;
  }

  private turn(): void {
    const { cursor } = this;
    if (this.minisLeft === 0) this.turnBlock();
    this.width = cursor.view.getUint8(this.widths);
    if (this.width > MAX_WIDTH) throw new Damaged('numbers are too wide');
    this.widths += 1;
    this.minisLeft -= 1;
    this.left = this.perMini;
    this.bit = cursor.offset * BYTE_BITS;
    // Writers may leave out the bytes of numbers beyond the last.
    const end = cursor.offset + (this.perMini / BYTE_BITS) * this.width;
    cursor.offset = Math.min(end, cursor.view.byteLength);
  }

  private turnBlock(): void {
    const { cursor } = this;
    this.least = zigZag(cursor);
    this.leastLow = Number(BigInt.asIntN(32, this.least));
    this.widths = cursor.offset;
    this.minisLeft = this.minis;
    cursor.offset += this.minis;
    if (cursor.offset > cursor.view.byteLength)
      throw new Damaged('a block of differences is cut off');
  }
}
