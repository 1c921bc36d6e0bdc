import type { RouterStore } from './router-store';

interface Waiting {
  readonly hashes: readonly string[];
  readonly resolve: (seen: ReadonlyMap<string, string>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks message hashes up, one query at a time: what is asked meanwhile goes into the next one. So the number of
 * queries follows their duration and neither the number of events nor that of partitions.
 */
export class SeenMessages {
  private waiting: Waiting[] = [];
  private isAsking = false;

  constructor(private readonly store: Pick<RouterStore, 'seen'>) {}

  /** Body digests by hash, of those that were seen within the window; perhaps of others too. */
  find(hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ hashes, resolve, reject });
      if (!this.isAsking) void this.askInTurn();
    });
  }

  private async askInTurn(): Promise<void> {
    this.isAsking = true;
    // Partitions that were read together ask one right after the other.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const asked = this.waiting;
      this.waiting = [];
      try {
        const seen = await this.store.seen(asked.flatMap(({ hashes }) => hashes));
        for (const { resolve } of asked) resolve(seen);
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    this.isAsking = false;
  }
}
