const FIRST = 1_024;

/** A number for each index from 0 on, 0 until it is set, in eight bytes each. */
export class Numbers {
  private values = new Float64Array(FIRST);

  at(index: number): number {
    return this.values[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (index >= this.values.length) {
      const larger = new Float64Array(Math.max(index + 1, this.values.length * 2));
      larger.set(this.values);
      this.values = larger;
    }
    this.values[index] = value;
  }
}
