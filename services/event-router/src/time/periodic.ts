import type { Clock } from './clock';

/** Does work again and again, until it is stopped. */
export class Periodic {
  private readonly cancels = new Map<object, () => void>();

  constructor(private readonly clock: Clock) {}

  /** Does the work each time that the period has passed since the last time. */
  every(periodMs: number, work: () => void): void {
    const timer = {};
    const again = (): void => {
      const cancel = this.clock.after(periodMs, () => {
        work();
        again();
      });
      this.cancels.set(timer, cancel);
    };
    again();
  }

  stop(): void {
    for (const cancel of this.cancels.values()) cancel();
    this.cancels.clear();
  }
}
