/** One that waits for its turn. */
export interface Waiter {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** What waits of one share: its lines are served in turn, each in the order in which its waiters came. */
export class WaitingShare {
  /** Lines that are not empty, the next to be served first. */
  private readonly lines = new Map<string, Set<Waiter>>();
  private count = 0;

  /** Waiters of all lines. */
  get size(): number {
    return this.count;
  }

  add(line: string, waiter: Waiter): void {
    const waiters = this.lines.get(line) ?? new Set();
    this.lines.set(line, waiters.add(waiter));
    this.count += 1;
  }

  /** Takes the next waiter out; its line stands behind the others then. */
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

  /** Takes the latest of the longest line out. */
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
