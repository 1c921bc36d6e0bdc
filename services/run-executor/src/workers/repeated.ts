/**
 * Does something again and again, never twice at a time.
 *
 * @param ms pause between the end of one time and the next, unless it is woken.
 */
export class Repeated {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isRunning = false;
  private isWanted = false;
  private isStopped = true;

  constructor(
    private readonly ms: number,
    private readonly work: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.isStopped = false;
    this.later(0);
  }

  /** Does it now, or again as soon as the time under way has ended. */
  wake(): void {
    if (this.isStopped) return;
    this.isWanted = true;
    if (!this.isRunning) this.later(0);
  }

  /** Resolves when the last time has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private later(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.running = this.once();
    }, ms);
  }

  private async once(): Promise<void> {
    this.isRunning = true;
    this.isWanted = false;
    try {
      await this.work();
    } catch (error) {
      this.onError(error);
    }
    this.isRunning = false;
    if (!this.isStopped) this.later(this.pauseMs());
  }

  private pauseMs(): number {
    return this.isWanted ? 0 : this.ms;
  }
}
