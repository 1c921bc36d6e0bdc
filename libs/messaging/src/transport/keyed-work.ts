import { pauseMs } from '../deliver';

/** What is handled: where it stands in its partition, and the key within which it keeps its order. */
export interface KeyedItem {
  readonly key: string;
  readonly offset: number;
}

export interface KeyedWorkOptions<Item> {
  /** Items at work at the same time, each of another key; 1 or more. */
  readonly concurrency: number;
  /** Maximal number of items that are accepted and not finished; 1 or more. */
  readonly maxUnfinished: number;
  /** Handles an item. A rejection means: again, after a pause. */
  readonly handle: (item: Item) => Promise<void>;
  /** Called when an item could not be handled and will be tried again. */
  readonly onFault: (error: unknown) => void;
  /** Called when {@link KeyedWork.position} has moved. */
  readonly onMoved: () => void;
}

interface Key<Item> {
  /** The first one is at work, or is the next to be. */
  readonly items: Item[];
  failures: number;
}

/**
 * Handles the items of one partition: those of a key in order, those of different keys at the same time. A key that is
 * slow, or fails, holds up nothing but itself; keys that wait are served in turn, an item at a time.
 */
export class KeyedWork<Item extends KeyedItem> {
  private readonly keys = new Map<string, Key<Item>>();
  /** Keys with an item that may be begun, the next one first. */
  private readonly ready: string[] = [];
  /** Offsets of accepted items, in order. */
  private readonly unfinished = new Set<number>();
  private readonly pauses = new Set<NodeJS.Timeout>();
  private readonly roomWaiters = new Set<() => void>();
  private atWork = 0;
  private next: number | undefined;
  private isLeaving = false;
  private onIdle: (() => void) | undefined;

  constructor(private readonly options: KeyedWorkOptions<Item>) {}

  /** The offset below which every item has been handled; undefined before the first one was accepted. */
  get position(): number | undefined {
    const [oldest] = this.unfinished;
    return oldest ?? this.next;
  }

  /** The items that are accepted and not finished. */
  *[Symbol.iterator](): Iterator<Item> {
    for (const { items } of this.keys.values()) yield* items;
  }

  /**
   * Accepts items and skips those that it has accepted before. Resolves when there is room for more.
   *
   * @param leaving rejects with its reason when it fires before.
   */
  async take(items: readonly Item[], leaving: AbortSignal): Promise<void> {
    for (const item of items) if (item.offset >= (this.next ?? 0)) this.add(item);
    this.begin();
    while (this.unfinished.size >= this.options.maxUnfinished) await this.room(leaving);
  }

  /** Begins no item any more. Resolves when those at work have ended, or have failed. */
  leave(): Promise<void> {
    this.isLeaving = true;
    for (const pause of this.pauses) clearTimeout(pause);
    this.pauses.clear();
    if (this.atWork === 0) return Promise.resolve();
    return new Promise((resolve) => (this.onIdle = resolve));
  }

  private add(item: Item): void {
    const key = this.keys.get(item.key);
    if (key === undefined) {
      this.keys.set(item.key, { items: [item], failures: 0 });
      this.ready.push(item.key);
    } else key.items.push(item);
    this.unfinished.add(item.offset);
    this.next = item.offset + 1;
  }

  private begin(): void {
    while (!this.isLeaving && this.atWork < this.options.concurrency) {
      const name = this.ready.shift();
      const key = name === undefined ? undefined : this.keys.get(name);
      if (name === undefined || key === undefined) return;
      void this.work(name, key);
    }
  }

  private async work(name: string, key: Key<Item>): Promise<void> {
    const [item] = key.items;
    if (item === undefined) return;
    this.atWork += 1;
    try {
      await this.options.handle(item);
      this.finish(name, key, item);
    } catch (error) {
      this.options.onFault(error);
      this.retryLater(name, key);
    } finally {
      this.atWork -= 1;
      if (this.isLeaving && this.atWork === 0) this.onIdle?.();
      this.begin();
    }
  }

  private finish(name: string, key: Key<Item>, { offset }: Item): void {
    key.items.shift();
    key.failures = 0;
    if (key.items.length === 0) this.keys.delete(name);
    else this.ready.push(name);
    const before = this.position;
    this.unfinished.delete(offset);
    if (this.position !== before) this.options.onMoved();
    for (const wake of this.roomWaiters) wake();
  }

  private retryLater(name: string, key: Key<Item>): void {
    if (this.isLeaving) return;
    key.failures += 1;
    const pause = setTimeout(() => {
      this.pauses.delete(pause);
      this.ready.push(name);
      this.begin();
    }, pauseMs(key.failures));
    this.pauses.add(pause);
  }

  private room(leaving: AbortSignal): Promise<void> {
    leaving.throwIfAborted();
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        this.roomWaiters.delete(wake);
        leaving.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        this.roomWaiters.delete(wake);
        reject(leaving.reason as Error);
      };
      this.roomWaiters.add(wake);
      leaving.addEventListener('abort', abort, { once: true });
    });
  }
}
