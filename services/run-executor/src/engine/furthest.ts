/**
 * How far the readings of one source have come. What an earlier one had come to is no progress: a source that begins anew after
 * each failure, and always fails at the same place, would be read for ever.
 */
export class Furthest {
  private reached = 0;
  private furthest = 0;

  /** Reading begins anew. */
  beginAnew(): void {
    this.reached = 0;
  }

  /** Takes note of records that were settled. @returns whether no reading has come so far before. */
  advance(records: number): boolean {
    this.reached += records;
    if (this.reached <= this.furthest) return false;
    this.furthest = this.reached;
    return true;
  }
}
