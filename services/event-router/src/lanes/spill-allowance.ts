import type { LiveDelivery } from './delivery';

/** What may still be moved to the store at one look. */
export class SpillAllowance {
  constructor(
    private rows: number,
    private bytes: number,
  ) {}

  get isUsedUp(): boolean {
    return this.rows <= 0 || this.bytes <= 0;
  }

  /** @returns how many of the deliveries may be moved, from the first on. */
  take(deliveries: readonly LiveDelivery[]): number {
    let count = 0;
    for (const { held } of deliveries) {
      if (this.isUsedUp) break;
      this.rows -= 1;
      this.bytes -= held.bytes;
      count += 1;
    }
    return count;
  }
}
