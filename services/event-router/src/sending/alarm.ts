import type { Clock } from '../time/clock';

/** Rings at the earliest of the moments that were asked for. */
export class Alarm {
  private isSoon = false;
  private isStopped = false;
  private cancel: () => void = () => undefined;
  private atMs = Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly ring: () => void,
  ) {}

  /** Once everything that is at hand has been done. */
  soon(): void {
    if (this.isSoon || this.isStopped) return;
    this.isSoon = true;
    this.clock.soon(() => {
      this.isSoon = false;
      if (!this.isStopped) this.ring();
    });
  }

  /** @param atMs of the monotonic clock. */
  at(atMs: number): void {
    if (atMs >= this.atMs || this.isStopped) return;
    this.cancel();
    this.atMs = atMs;
    this.cancel = this.clock.after(Math.max(0, atMs - this.clock.nowMs()), () => {
      this.atMs = Infinity;
      this.ring();
    });
  }

  /** Rings no more. */
  stop(): void {
    this.isStopped = true;
    this.cancel();
  }
}
