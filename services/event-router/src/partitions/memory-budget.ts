/** The part of the budget beyond which what can be made again is not kept. */
const TIGHT = 0.8;

/** How many bytes of events may be in memory at once; readers wait for room. */
export class MemoryBudget {
  private usedBytes = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly maxBytes: number) {}

  get used(): number {
    return this.usedBytes;
  }

  get isTight(): boolean {
    return this.usedBytes >= TIGHT * this.maxBytes;
  }

  /** Resolves when less than the budget is in use. */
  async room(): Promise<void> {
    while (this.usedBytes >= this.maxBytes)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  take(bytes: number): void {
    this.usedBytes += bytes;
  }

  release(bytes: number): void {
    this.usedBytes -= bytes;
    if (this.usedBytes >= this.maxBytes) return;
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) wake();
  }
}
