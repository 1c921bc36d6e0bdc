interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly work: () => void;
  isCancelled: boolean;
}

/** More steps than this at one time mean an endless loop in the tested code. */
const RESTLESS = 100_000;

/** A pseudo-random generator (mulberry32), in [0, 1). */
export const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const isBefore = (a: Due, b: Due): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** Resolves when all pending promises were processed: `nextTick` runs after them, at a tenth of the cost of a turn. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    process.nextTick(resolve);
  });

/** A discrete-event simulation: time jumps from one timer to the next, and all randomness comes from the seed. */
export class Simulation {
  nowMs = 0;
  steps = 0;
  readonly random: () => number;
  private readonly heap: Due[] = [];
  private order = 0;
  private movedAtStep = 0;
  private pendingCalls = 0;
  private answered: Promise<void> = Promise.resolve();

  constructor(readonly seed: number) {
    this.random = randomOf(seed);
  }

  /** A random integer from `least` to `most`, both inclusive. */
  between(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  chance(part: number): boolean {
    return this.random() < part;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)]!;
  }

  later(delayMs: number, work: () => void): () => void {
    const due: Due = {
      atMs: this.nowMs + Math.max(0, delayMs),
      order: this.order++,
      work,
      isCancelled: false,
    };
    this.push(due);
    return () => {
      due.isCancelled = true;
    };
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.later(delayMs, resolve);
    });
  }

  /**
   * Calls something outside of the simulation, such as a real database; the simulated time stands still meanwhile.
   * Concurrent calls run one after the other, so that a seed always gives the same run.
   */
  outside<T>(call: () => Promise<T>): Promise<T> {
    this.pendingCalls += 1;
    const answer = this.answered.then(call);
    const over = (): void => {
      this.pendingCalls -= 1;
    };
    this.answered = answer.then(over, over);
    return answer;
  }

  /** Runs everything that is due until `untilMs`. @throws Error when the time does not advance. */
  async run(untilMs: number): Promise<void> {
    while (this.heap.length > 0 && this.heap[0]!.atMs <= untilMs) {
      const due = this.pop();
      if (due.isCancelled) continue;
      this.moveTo(due.atMs);
      due.work();
      await settled();
      while (this.pendingCalls > 0) {
        await this.answered;
        await settled();
      }
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  private moveTo(atMs: number): void {
    this.steps += 1;
    if (atMs > this.nowMs) this.movedAtStep = this.steps;
    else if (this.steps - this.movedAtStep > RESTLESS)
      throw new Error(`time stands still at ${this.nowMs} ms`);
    this.nowMs = atMs;
  }

  private push(due: Due): void {
    const { heap } = this;
    let index = heap.push(due) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(due, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = due;
  }

  private pop(): Due {
    const { heap } = this;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}
