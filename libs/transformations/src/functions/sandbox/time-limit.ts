/** A time limit that can be paused, for several reasons at once. */
export class TimeLimit<Reason extends string> {
  private readonly reasons = new Set<Reason>();
  private timer: NodeJS.Timeout | undefined;
  private since = 0;

  constructor(
    private leftMs: number,
    private readonly isUp: () => void,
  ) {
    this.start();
  }

  /** Pauses for a reason. Idempotent. */
  pause(reason: Reason): void {
    this.reasons.add(reason);
    if (this.timer === undefined) return;
    this.stop();
    this.leftMs -= performance.now() - this.since;
  }

  /** Removes a reason; continues when none is left. */
  resume(reason: Reason): void {
    if (this.reasons.delete(reason) && this.reasons.size === 0) this.start();
  }

  /** Stops for good: it will not fire. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private start(): void {
    this.since = performance.now();
    this.timer = setTimeout(this.isUp, Math.max(0, this.leftMs));
  }
}
