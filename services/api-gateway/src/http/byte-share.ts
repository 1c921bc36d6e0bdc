/** So many bytes that all requests of a kind may hold together. Counts only; {@link Holding} is one request's part. */
export class ByteShare {
  private held = 0;
  private peak = 0;
  private refused = 0;

  constructor(readonly capacityBytes: number) {}

  /** Held at present. */
  get heldBytes(): number {
    return this.held;
  }

  /** The most that was ever held. */
  get peakBytes(): number {
    return this.peak;
  }

  /** How often there was no room. */
  get refusals(): number {
    return this.refused;
  }

  /** @returns false, having taken nothing, where there is no room for so many. */
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

  /** @param bytes that were taken before. */
  giveBack(bytes: number): void {
    this.held -= bytes;
  }
}
