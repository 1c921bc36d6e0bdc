/** Lets a bounded number of tasks run at a time, in the order in which they asked. */
export class Turns {
  private readonly waiting: (() => void)[] = [];
  private taken = 0;

  constructor(private readonly most: number) {}

  get unused(): boolean {
    return this.taken === 0;
  }

  async take<T>(task: () => Promise<T>): Promise<T> {
    if (this.taken < this.most) this.taken += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.taken -= 1;
    }
  }
}
