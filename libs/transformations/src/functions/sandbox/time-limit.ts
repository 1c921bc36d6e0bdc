/** A time that is up once so much of it has passed; while it is paused, for whatever reason, none passes. */
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

  /** Twice for one reason is as once. */
  pause(reason: Reason): void {
    this.reasons.add(reason);
    if (this.timer === undefined) return;
    this.stop();
    this.leftMs -= performance.now() - this.since;
  }

  /** It goes on when no other reason is left. */
  resume(reason: Reason): void {
    if (this.reasons.delete(reason) && this.reasons.size === 0) this.start();
  }

  /** It will never be up. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private start(): void {
    this.since = performance.now();
    this.timer = setTimeout(this.isUp, Math.max(0, this.leftMs));
  }
}
