/** The bytes end before what they claim to hold, or claim what cannot be. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

const BYTE_BITS = 8;
const MAX_SHIFT = 28;
const MAX_WIDTH = 32;

/** A place in bytes, from which numbers are read. Nothing is read behind their end. */
export class Cursor {
  constructor(
    readonly view: DataView,
    public offset = 0,
  ) {}

  /** @throws RangeError at the end. */
  byte(): number {
    const byte = this.view.getUint8(this.offset);
    this.offset += 1;
    return byte;
  }

  /** A number of up to 32 bits, seven in a byte. @throws Damaged, RangeError */
  varInt(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      if (shift > MAX_SHIFT) throw new Damaged('a number is too long');
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }
}

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * A number of 0 to 32 bits, the lowest first.
 *
 * @param bit where it begins.
 * @throws RangeError when it is not all there.
 */
export const bitsAt = (view: DataView, bit: number, width: number): number => {
  if (width === 0) return 0;
  const shift = bit & 7;
  let at = bit >>> 3;
  let value = view.getUint8(at) >>> shift;
  for (let bits = BYTE_BITS - shift; bits < width; bits += BYTE_BITS) {
    at += 1;
    // Up to 39 bits: beyond what bitwise operators hold.
    value += view.getUint8(at) * 2 ** bits;
  }
  return value % 2 ** width;
};

/**
 * Numbers in the hybrid of run-length encoding and bit packing, one by one: whatever runs claim, no room is made for what
 * they hold.
 */
export class Runs {
  /** The number that was read last. */
  value = 0;
  private readonly cursor: Cursor;
  /** Numbers of the run that have not been read. */
  private left = 0;
  private isPacked = false;
  private bit = 0;

  /** @param width bits of a number. @throws Damaged when they are more than 32. */
  constructor(
    view: DataView,
    private readonly width: number,
  ) {
    if (width > MAX_WIDTH) throw new Damaged('numbers are too wide');
    this.cursor = new Cursor(view);
  }

  /** @throws Damaged or RangeError when there is none. */
  next(): number {
    while (this.left === 0) this.turn();
    this.left -= 1;
    if (this.isPacked) {
      this.value = bitsAt(this.cursor.view, this.bit, this.width);
      this.bit += this.width;
    }
    return this.value;
  }

  /** Reads numbers. @returns how many of them are the one that is given. @throws Damaged or RangeError at the end. */
  matches(wanted: number, count: number): number {
    let found = 0;
    for (let seen = 0; seen < count;) {
      const isWanted = this.next() === wanted;
      const more = this.isPacked ? 0 : Math.min(this.left, count - seen - 1);
      this.left -= more;
      seen += more + 1;
      if (isWanted) found += more + 1;
    }
    return found;
  }

  private turn(): void {
    const { cursor } = this;
    const head = cursor.varInt();
    if (head === 0) throw new Damaged('a run is empty');
    this.isPacked = (head & 1) === 1;
    const length = head >>> 1;
    if (this.isPacked) this.pack(length);
    else {
      this.left = length;
      this.value = this.runValue();
    }
  }

  /** Writers may leave out the bytes of numbers beyond the last. @param groups of eight numbers. */
  private pack(groups: number): void {
    const { cursor } = this;
    this.left = groups * BYTE_BITS;
    this.bit = cursor.offset * BYTE_BITS;
    cursor.offset = Math.min(cursor.view.byteLength, cursor.offset + groups * this.width);
  }

  private runValue(): number {
    let value = 0;
    for (let shift = 0; shift < this.width; shift += BYTE_BITS)
      value |= this.cursor.byte() << shift;
    return value >>> 0;
  }
}
