/** The requests of one partition that are under way; all are aborted when the partition is lost. */
export class RequestsInFlight {
  private readonly controllers = new Set<AbortController>();
  private quiet: (() => void)[] = [];

  get count(): number {
    return this.controllers.size;
  }

  begin(controller: AbortController): void {
    this.controllers.add(controller);
  }

  end(controller: AbortController): void {
    this.controllers.delete(controller);
    if (this.controllers.size > 0) return;
    for (const resolve of this.quiet.splice(0)) resolve();
  }

  /** Aborts all requests. */
  abort(): void {
    for (const controller of this.controllers) controller.abort();
  }

  /** Resolves when none is under way. */
  async ended(): Promise<void> {
    if (this.controllers.size > 0) await new Promise<void>((resolve) => this.quiet.push(resolve));
  }
}
