interface Waiting {
  readonly position: number;
  readonly resolve: () => void;
}

/** How much of the configuration has been seen, and who waits for more. */
export class SeenPosition {
  private seen = 0;
  private waiting: Waiting[] = [];

  get value(): number {
    return this.seen;
  }

  advance(position: number): void {
    if (position <= this.seen) return;
    this.seen = position;
    const ready = this.waiting.filter((each) => each.position <= position);
    if (ready.length === 0) return;
    this.waiting = this.waiting.filter((each) => each.position > position);
    for (const { resolve } of ready) resolve();
  }

  /** Resolves once everything up to the position has been seen. */
  waitFor(position: number): Promise<void> {
    if (position <= this.seen) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ position, resolve }));
  }
}
