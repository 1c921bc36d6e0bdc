interface Entry<T> {
  readonly dueMs: number;
  readonly item: T;
}

/** Items by due time, in a binary heap: `add` and `take` are O(log n). */
export class DueQueue<T> {
  private readonly heap: Entry<T>[] = [];

  get size(): number {
    return this.heap.length;
  }

  /** When the first item is due; undefined when the queue is empty. */
  get firstDueMs(): number | undefined {
    return this.heap[0]?.dueMs;
  }

  add(item: T, dueMs: number): void {
    const entry = { dueMs, item };
    let index = this.heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.heap[parent];
      if (above === undefined || above.dueMs <= dueMs) break;
      this.heap[index] = above;
      index = parent;
    }
    this.heap[index] = entry;
  }

  /** Removes and returns the first item that is due at `nowMs`; undefined when none is. */
  take(nowMs: number): T | undefined {
    const first = this.heap[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    const last = this.heap.pop();
    if (last !== undefined && this.heap.length > 0) this.sink(last);
    return first.item;
  }

  private sink(entry: Entry<T>): void {
    const { length } = this.heap;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const a = this.heap[left];
      if (left >= length || a === undefined) break;
      const b = this.heap[left + 1];
      const [child, next] = b !== undefined && b.dueMs < a.dueMs ? [left + 1, b] : [left, a];
      if (next.dueMs >= entry.dueMs) break;
      this.heap[index] = next;
      index = child;
    }
    this.heap[index] = entry;
  }
}
