/**
 * A number of bytes that all requests of a kind may hold together. Only counts; {@link Holding} is the part of one
 * request.
 */
export class ByteShare {
  private held = 0;
  private peak = 0;
  private refused = 0;

  constructor(readonly capacityBytes: number) {}

  /** Bytes held at present. */
  get heldBytes(): number {
    return this.held;
  }

  /** Maximum of the bytes ever held. */
  get peakBytes(): number {
    return this.peak;
  }

  /** Number of refused allocations. */
  get refusals(): number {
    return this.refused;
  }

  /** @returns false, without taking any, when not enough bytes are left. */
  take(bytes: number): boolean {
    const held = this.held + bytes;
    if (held > this.capacityBytes) {
      this.refused += 1;
      return false;
    }
    this.held = held;
    if (held > this.peak) this.peak = held;
    return true;
  }

  /** @param bytes must have been taken before. */
  giveBack(bytes: number): void {
    this.held -= bytes;
  }
}
