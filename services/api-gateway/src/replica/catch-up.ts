/**
 * Shares one read to the present end among concurrent callers. A caller during a read gets the next one: the read in
 * progress may have determined its end before the call.
 */
export class CatchUp {
  private running: Promise<boolean> | undefined;
  private next: Promise<boolean> | undefined;

  /** @param read resolves to whether the end was reached in time. */
  constructor(private readonly read: () => Promise<boolean>) {}

  /** @returns whether everything has been read that was on the log at this call. */
  toPresentEnd(): Promise<boolean> {
    if (this.running === undefined) return this.start();
    this.next ??= this.running.then(
      () => this.startNext(),
      () => this.startNext(),
    );
    return this.next;
  }

  private startNext(): Promise<boolean> {
    this.next = undefined;
    return this.start();
  }

  private start(): Promise<boolean> {
    const running = this.read().finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }
}
