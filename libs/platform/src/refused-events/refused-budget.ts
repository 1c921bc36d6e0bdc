const WINDOW_MS = 60_000;

/** Refused events that a process records one by one in a minute, of each source and of all. */
export const REFUSED_LIMITS = { ofSource: 60, ofProcess: 600 };

/** Limits what is recorded in each minute. */
export class RefusedBudget {
  private beganMs = -Infinity;
  private all = 0;
  private readonly ofSource = new Map<string, number>();

  /** @param nowMs of the monotonic clock. */
  constructor(private readonly nowMs: () => number) {}

  /** Whether one more event of the source may be recorded, which is counted then. */
  take(source: string): boolean {
    const nowMs = this.nowMs();
    if (nowMs - this.beganMs >= WINDOW_MS) {
      this.beganMs = nowMs;
      this.all = 0;
      this.ofSource.clear();
    }
    const taken = this.ofSource.get(source) ?? 0;
    if (taken >= REFUSED_LIMITS.ofSource || this.all >= REFUSED_LIMITS.ofProcess) return false;
    this.ofSource.set(source, taken + 1);
    this.all += 1;
    return true;
  }
}
