const FIRST_BYTES = 1_024;

/** A set of positions with a bit for each. */
export class PositionSet {
  private bits = new Uint8Array(FIRST_BYTES);

  has(position: number): boolean {
    return ((this.bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0;
  }

  add(position: number): void {
    const byte = position >> 3;
    if (byte >= this.bits.length) this.grow(byte + 1);
    this.bits[byte] = (this.bits[byte] ?? 0) | (1 << (position & 7));
  }

  delete(position: number): void {
    const byte = position >> 3;
    if (byte < this.bits.length) this.bits[byte] = (this.bits[byte] ?? 0) & ~(1 << (position & 7));
  }

  /** The positions that the other set lacks, in order. */
  *without(other: PositionSet): Generator<number> {
    for (let byte = 0; byte < this.bits.length; byte += 1) {
      if (((this.bits[byte] ?? 0) & ~(other.bits[byte] ?? 0)) === 0) continue;
      for (let position = byte * 8; position < byte * 8 + 8; position += 1)
        if (this.has(position) && !other.has(position)) yield position;
    }
  }

  private grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(bytes, this.bits.length * 2));
    larger.set(this.bits);
    this.bits = larger;
  }
}
