/** A waiting task. */
export interface Waiter {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** The waiting tasks of one share: lines are served in turn, each in order of arrival. */
export class WaitingShare {
  /** Lines that are not empty, the next to be served first. */
  private readonly lines = new Map<string, Set<Waiter>>();
  private count = 0;

  /** Number of waiters in all lines. */
  get size(): number {
    return this.count;
  }

  add(line: string, waiter: Waiter): void {
    const waiters = this.lines.get(line) ?? new Set();
    this.lines.set(line, waiters.add(waiter));
    this.count += 1;
  }

  /** Removes and returns the next waiter; its line is then served after the others. */
  next(): Waiter | undefined {
    const [first] = this.lines;
    if (first === undefined) return undefined;
    const [line, waiters] = first;
    const [waiter] = waiters;
    if (waiter === undefined) return undefined;
    this.lines.delete(line);
    this.lines.set(line, waiters);
    this.remove(line, waiter);
    return waiter;
  }

  /** Removes and returns the latest waiter of the longest line. */
  dropLast(): Waiter | undefined {
    const [longest] = [...this.lines].sort(([, one], [, other]) => other.size - one.size);
    if (longest === undefined) return undefined;
    const [line, waiters] = longest;
    const last = [...waiters].at(-1);
    if (last !== undefined) this.remove(line, last);
    return last;
  }

  remove(line: string, waiter: Waiter): void {
    const waiters = this.lines.get(line);
    if (waiters?.delete(waiter) !== true) return;
    this.count -= 1;
    if (waiters.size === 0) this.lines.delete(line);
  }
}
