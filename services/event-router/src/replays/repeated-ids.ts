/** Records of a partition within which a repetition of an event is recognized. */
export const RECOGNIZED_WITHIN = 50_000;

/**
 * Recognizes events that were read before, by their hashes, among the latest records of one partition. What it answers
 * depends on the records alone, not on where reading has begun.
 */
export class RepeatedIds {
  private readonly offsets = new Map<string, number>();

  /** @param next the offset that is expected next; earlier ones have been read as far as they matter. */
  constructor(public next: number) {}

  /** Number of hashes in memory. */
  get size(): number {
    return this.offsets.size;
  }

  /** Notes the event of a record; offsets rise. @returns whether one of the latest records held the same event. */
  isRepeated(hash: string, offset: number): boolean {
    this.forgetBefore(offset - RECOGNIZED_WITHIN);
    // Deleted first, since the order of the map is that of the latest occurrences.
    const isKnown = this.offsets.delete(hash);
    this.offsets.set(hash, offset);
    this.next = offset + 1;
    return isKnown;
  }

  private forgetBefore(first: number): void {
    for (const [hash, offset] of this.offsets) {
      if (offset >= first) return;
      this.offsets.delete(hash);
    }
  }
}
