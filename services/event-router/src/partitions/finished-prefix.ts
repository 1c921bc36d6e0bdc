/** A run of finished offsets: from `start` to before `end`. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Which offsets of a partition are finished: everything below `next`, and ranges beyond it. The ranges are
 * kept by both of their ends, so that finishing an offset takes the same time however many there are.
 */
export class FinishedPrefix {
  private nextOffset: number;
  private readonly endOf = new Map<number, number>();
  private readonly startOf = new Map<number, number>();

  constructor(next: number, beyond: readonly OffsetRange[] = []) {
    this.nextOffset = next;
    for (const { start, end } of beyond) this.add(start, end);
  }

  /** Everything below is finished. */
  get next(): number {
    return this.nextOffset;
  }

  /** Finished ranges beyond `next`, in order. */
  get beyond(): OffsetRange[] {
    return [...this.endOf]
      .map(([start, end]) => ({ start, end }))
      .sort((a, b) => a.start - b.start);
  }

  has(offset: number): boolean {
    if (offset < this.nextOffset) return true;
    for (const [start, end] of this.endOf) if (offset >= start && offset < end) return true;
    return false;
  }

  /** Each offset is finished once. */
  finish(offset: number): void {
    this.finishRange(offset, offset + 1);
  }

  /** Offsets that no record has (the log skipped them) count as finished. */
  finishRange(start: number, end: number): void {
    const from = Math.max(start, this.nextOffset);
    if (from >= end) return;
    if (from > this.nextOffset) this.add(from, end);
    else {
      this.nextOffset = end;
      this.absorb();
    }
  }

  private add(start: number, end: number): void {
    const left = this.startOf.get(start);
    const right = this.endOf.get(end);
    if (left !== undefined) this.startOf.delete(start);
    if (right !== undefined) this.endOf.delete(end);
    const wholeStart = left ?? start;
    const wholeEnd = right ?? end;
    this.endOf.set(wholeStart, wholeEnd);
    this.startOf.set(wholeEnd, wholeStart);
    this.absorb();
  }

  private absorb(): void {
    for (;;) {
      const end = this.endOf.get(this.nextOffset);
      if (end === undefined) return;
      this.endOf.delete(this.nextOffset);
      this.startOf.delete(end);
      this.nextOffset = end;
    }
  }
}
