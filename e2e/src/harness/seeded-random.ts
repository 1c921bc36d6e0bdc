/** A pseudo-random generator: the same seed gives the same numbers. */
export class SeededRandom {
  private state: number;

  /** @param seed an integer; a test prints it, so that its run can be repeated. */
  constructor(readonly seed: number) {
    this.state = seed | 0;
  }

  /** Uses the seed in `PENSTOCK_TEST_SEED`, and prints it; default: always the same, and a new one in the long form. */
  static fromEnvironment(): SeededRandom {
    const isLong = process.env['PENSTOCK_TEST_LONG'] === '1';
    const byDefault = isLong ? Date.now() % 1_000_000_007 : 1;
    const seed = Number(process.env['PENSTOCK_TEST_SEED'] ?? byDefault);
    process.stdout.write(`seed ${String(seed)}\n`);
    return new SeededRandom(seed);
  }

  /**
   * Source: mulberry32, T. Ettinger, 2017, in the public domain.
   *
   * @returns 0 or more, less than 1.
   */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** @returns a real number in [0, bound). */
  below(bound: number): number {
    return this.next() * bound;
  }

  /** @throws RangeError when there is nothing to pick. */
  pick<T>(items: readonly T[]): T {
    const picked = items[Math.floor(this.next() * items.length)];
    if (picked === undefined) throw new RangeError('nothing to pick');
    return picked;
  }

  /** @returns the same items in another order. */
  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, place: this.next() }))
      .sort((one, other) => one.place - other.place)
      .map(({ item }) => item);
  }
}
