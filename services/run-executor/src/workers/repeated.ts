/**
 * Does something again and again, never twice at a time.
 *
 * @param ms pause between the end of one time and the next.
 */
export class Repeated {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
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

  /** Resolves when the last time has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private later(ms: number): void {
    this.timer = setTimeout(() => {
      this.running = this.once();
    }, ms);
  }

  private async once(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      this.onError(error);
    }
    if (!this.isStopped) this.later(this.ms);
  }
}
