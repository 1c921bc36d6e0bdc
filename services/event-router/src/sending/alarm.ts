import type { Clock } from '../time/clock';

/** Calls `ring` at the earliest of the requested times. */
export class Alarm {
  private isSoon = false;
  private isStopped = false;
  private cancel: () => void = () => undefined;
  private atMs = Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly ring: () => void,
  ) {}

  /** Rings in a later turn of the event loop. */
  soon(): void {
    if (this.isSoon || this.isStopped) return;
    this.isSoon = true;
    this.clock.soon(() => {
      this.isSoon = false;
      if (!this.isStopped) this.ring();
    });
  }

  /** Rings at `atMs`, of the monotonic clock, or earlier when an earlier time was requested. */
  at(atMs: number): void {
    if (atMs >= this.atMs || this.isStopped) return;
    this.cancel();
    this.atMs = atMs;
    this.cancel = this.clock.after(Math.max(0, atMs - this.clock.nowMs()), () => {
      this.atMs = Infinity;
      this.ring();
    });
  }

  /** Cancels all requested times. */
  stop(): void {
    this.isStopped = true;
    this.cancel();
  }
}
