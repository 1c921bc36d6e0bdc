const FIRST_BYTES = 16_384;

/** Bytes that come in parts, in one piece of memory: parts of a byte each take no more than one part of them all. */
export class GrowingBuffer {
  private buffer = Buffer.alloc(0);
  private used = 0;

  get length(): number {
    return this.used;
  }

  add(part: Buffer): void {
    const needed = this.used + part.length;
    if (needed > this.buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.buffer.length, FIRST_BYTES));
      this.buffer.copy(grown, 0, 0, this.used);
      this.buffer = grown;
    }
    part.copy(this.buffer, this.used);
    this.used = needed;
  }

  /** Everything that was added; there is nothing then. */
  take(): Buffer {
    const taken = this.buffer.subarray(0, this.used);
    this.buffer = Buffer.alloc(0);
    this.used = 0;
    return taken;
  }
}
