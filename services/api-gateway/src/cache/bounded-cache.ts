/**
 * Keeps at least the `size` entries used last and at most twice as many; a look-up costs one or two hash probes. Two
 * generations, as in `quick-lru`: a used entry moves to the young one, and the old one is dropped as a whole.
 */
export class BoundedCache<Key, Value> {
  private young = new Map<Key, Value>();
  private old = new Map<Key, Value>();

  constructor(private readonly size: number) {}

  get(key: Key): Value | undefined {
    const young = this.young.get(key);
    if (young !== undefined) return young;
    const old = this.old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    this.young.set(key, value);
    if (this.young.size <= this.size) return;
    this.old = this.young;
    this.young = new Map();
  }

  delete(key: Key): void {
    this.young.delete(key);
    this.old.delete(key);
  }
}
