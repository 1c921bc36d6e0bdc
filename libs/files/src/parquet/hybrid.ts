/** A place in bytes. */
export interface Cursor {
  readonly view: DataView;
  offset: number;
}

/** The bytes end before what they claim to hold, or claim what cannot be. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

const MAX_SHIFT = 28;

const varInt = (cursor: Cursor): number => {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    if (shift > MAX_SHIFT) throw new Damaged('a number is too long');
    const byte = cursor.view.getUint8(cursor.offset);
    cursor.offset += 1;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value >>> 0;
  }
};

/**
 * Numbers in the hybrid of run-length encoding and bit packing. No run writes beyond what is expected, whatever it
 * claims.
 *
 * @param width bits of a number; 0 to 32.
 * @throws Damaged, RangeError
 */
export const readHybrid = (cursor: Cursor, width: number, count: number): Int32Array => {
  if (width > 32) throw new Damaged('numbers are too wide');
  const output = new Int32Array(count);
  let seen = 0;
  while (seen < count) {
    const head = varInt(cursor);
    if ((head & 1) === 1) seen = bitPacked(cursor, width, output, seen, (head >>> 1) * 8);
    else {
      if (head === 0) throw new Damaged('a run is empty');
      const end = Math.min(count, seen + (head >>> 1));
      output.fill(runValue(cursor, width), seen, end);
      seen = end;
    }
  }
  return output;
};

const runValue = (cursor: Cursor, width: number): number => {
  let value = 0;
  for (let shift = 0; shift < width; shift += 8) {
    value |= cursor.view.getUint8(cursor.offset) << shift;
    cursor.offset += 1;
  }
  return value;
};

/** @returns how many numbers are in the output now. Writers may leave out the bytes of numbers beyond the last. */
const bitPacked = (
  cursor: Cursor,
  width: number,
  output: Int32Array,
  seen: number,
  packed: number,
): number => {
  const end = Math.min(output.length, seen + packed);
  const { view } = cursor;
  const start = cursor.offset;
  let buffered = 0;
  let bits = 0;
  let at = start;
  for (let index = seen; index < end; index += 1) {
    while (bits < width) {
      // Up to 39 bits: beyond what bitwise operators hold.
      buffered += view.getUint8(at) * 2 ** bits;
      at += 1;
      bits += 8;
    }
    output[index] = (buffered % 2 ** width) | 0;
    buffered = Math.floor(buffered / 2 ** width);
    bits -= width;
  }
  cursor.offset = Math.min(view.byteLength, start + (packed / 8) * width);
  return end;
};
