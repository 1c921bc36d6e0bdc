import type { RouterStore } from './router-store';

interface Waiting {
  readonly hashes: readonly string[];
  readonly resolve: (seen: ReadonlyMap<string, string>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks message hashes up, one query at a time: look-ups that come meanwhile share the next query. The number of
 * queries therefore depends on their duration, not on the number of events or partitions.
 */
export class SeenMessages {
  private waiting: Waiting[] = [];
  private isQuerying = false;

  constructor(private readonly store: Pick<RouterStore, 'seen' | 'hasFormerIds'>) {}

  /** Whether ids of routers of the version before have to be found too, by their own hash. */
  get withFormer(): boolean {
    return this.store.hasFormerIds;
  }

  /** Body digests, by hash, of the messages seen within the duplicate window; may contain hashes of other callers. */
  find(hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ hashes, resolve, reject });
      if (!this.isQuerying) void this.queryAll();
    });
  }

  private async queryAll(): Promise<void> {
    this.isQuerying = true;
    // Partitions that were read together call `find` within the same turn.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const pending = this.waiting;
      this.waiting = [];
      try {
        const seen = await this.store.seen(pending.flatMap(({ hashes }) => hashes));
        for (const { resolve } of pending) resolve(seen);
      } catch (error) {
        for (const { reject } of pending) reject(error);
      }
    }
    this.isQuerying = false;
  }
}
