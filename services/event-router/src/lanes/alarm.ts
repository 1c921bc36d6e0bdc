/** Rings at the earliest of the moments that were asked for. */
export class Alarm {
  private isSoon = false;
  private timer: NodeJS.Timeout | undefined;
  private atMs = Infinity;

  constructor(private readonly ring: () => void) {}

  /** Once everything that is at hand has been done. */
  soon(): void {
    if (this.isSoon) return;
    this.isSoon = true;
    setImmediate(() => {
      this.isSoon = false;
      this.ring();
    });
  }

  /** @param atMs milliseconds since 1970. */
  at(atMs: number): void {
    if (atMs >= this.atMs) return;
    clearTimeout(this.timer);
    this.atMs = atMs;
    this.timer = setTimeout(
      () => {
        this.atMs = Infinity;
        this.ring();
      },
      Math.min(Math.max(0, atMs - Date.now()), 2 ** 31 - 1),
    );
  }

  /** Rings at no moment any more. */
  stop(): void {
    clearTimeout(this.timer);
    this.atMs = -Infinity;
  }
}
