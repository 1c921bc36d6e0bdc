import type { LiveDelivery } from './delivery';

/** Rows and bytes that may still be spilled in one step. */
export class SpillAllowance {
  constructor(
    private rows: number,
    private bytes: number,
  ) {}

  get isUsedUp(): boolean {
    return this.rows <= 0 || this.bytes <= 0;
  }

  /** Deducts deliveries from the first on. @returns how many of them may be moved. */
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
