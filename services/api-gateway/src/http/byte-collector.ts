import type { Holding } from './holding';
import { HttpRefusal } from './http-refusal';

export interface ByteCollectorOptions {
  /** A longer body is refused. */
  readonly maxBytes: number;
  /** Declared length of the body, when it is known. */
  readonly expectedBytes?: number | undefined;
  /** Is charged before memory is allocated. */
  readonly holding: Holding;
}

/** Creates the refusal of a body that is longer than allowed. */
export const tooLarge = (maxBytes: number): HttpRefusal =>
  new HttpRefusal('PayloadTooLarge', { because: `the limit is ${String(maxBytes)} bytes` });

const EMPTY = Buffer.alloc(0);

/**
 * Concatenates chunks in one buffer, which doubles when it is full. A list of chunks would cost about a hundred bytes
 * for each: a hundred times the size of a body that is sent byte by byte.
 */
export class ByteCollector {
  private buffer: Buffer = EMPTY;
  private length = 0;

  constructor(private readonly options: ByteCollectorOptions) {}

  /** @throws HttpRefusal PayloadTooLarge; ServiceUnavailable when there is no room. */
  add(piece: Buffer): void {
    const length = this.length + piece.length;
    if (length > this.options.maxBytes) throw tooLarge(this.options.maxBytes);
    if (this.length === 0 && isWhole(piece)) this.adopt(piece);
    else {
      if (length > this.buffer.length) this.grow(length);
      piece.copy(this.buffer, this.length);
    }
    this.length = length;
  }

  /** Returns everything that was added; the holding is charged with the result's `buffer.byteLength`. */
  whole(): Buffer {
    return this.length === this.buffer.length ? this.buffer : this.buffer.subarray(0, this.length);
  }

  private adopt(piece: Buffer): void {
    this.options.holding.add(piece.buffer.byteLength);
    this.buffer = piece;
  }

  private grow(neededBytes: number): void {
    const { maxBytes, expectedBytes = maxBytes, holding } = this.options;
    const wanted = Math.min(2 * this.buffer.length, expectedBytes, maxBytes);
    const capacity = Math.max(wanted, neededBytes, this.buffer.buffer.byteLength);
    holding.add(capacity - this.buffer.buffer.byteLength);
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

/** Whether a chunk fills at least half of its ArrayBuffer; otherwise keeping it would keep much unused memory. */
const isWhole = ({ length, buffer }: Buffer): boolean => 2 * length >= buffer.byteLength;
