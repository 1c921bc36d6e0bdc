/**
 * Shares one reading to the present end among all who ask for it. Whoever asks while one is under way gets the
 * next one: the one under way may have fixed its end before.
 */
export class CatchUp {
  private running: Promise<boolean> | undefined;
  private next: Promise<boolean> | undefined;

  /** @param read resolves whether the end was reached in time. */
  constructor(private readonly read: () => Promise<boolean>) {}

  /** @returns whether everything has been read that there was when this was called. */
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
