/**
 * Shares one reading to the present end among all who ask for it. Whoever asks while one is under way gets the
 * next one: the one under way may have fixed its end before.
 */
export class CatchUp {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(private readonly read: () => Promise<void>) {}

  toPresentEnd(): Promise<void> {
    if (this.running === undefined) return this.start();
    this.next ??= this.running.then(
      () => this.startNext(),
      () => this.startNext(),
    );
    return this.next;
  }

  private startNext(): Promise<void> {
    this.next = undefined;
    return this.start();
  }

  private start(): Promise<void> {
    const running = this.read().finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }
}
