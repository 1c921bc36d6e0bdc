/**
 * A cache of about `maxWeight`: an entry that is not used while entries of half that weight are added or used again is
 * removed.
 */
export class RecentlyUsed<Key, Value> {
  private young = new Map<Key, Value>();
  private old = new Map<Key, Value>();
  private weight = 0;

  constructor(
    private readonly maxWeight: number,
    private readonly weigh: (value: Value) => number,
  ) {}

  get(key: Key): Value | undefined {
    const found = this.young.get(key);
    if (found !== undefined) return found;
    const kept = this.old.get(key);
    if (kept === undefined) return undefined;
    this.old.delete(key);
    this.young.set(key, kept);
    this.weight += this.weigh(kept);
    return kept;
  }

  /** Adds an entry. Call it again when an entry has become heavier. */
  set(key: Key, value: Value): void {
    this.old.delete(key);
    this.young.set(key, value);
    this.weight += this.weigh(value);
    if (this.weight <= this.maxWeight / 2) return;
    this.old = this.young;
    this.young = new Map();
    this.weight = 0;
  }

  get size(): number {
    return this.young.size + this.old.size;
  }
}
