import type { Follow, Reader } from '../message-log';
import type { Database } from './database';
import { Feed } from './feed';
import type { LogEnds } from './log-ends';
import type { Topic } from './topics';

const STOPPED = 'the reader was stopped';

export interface FollowerOptions extends Follow {
  readonly onFault: (what: string, error: unknown) => void;
}

/** Reads all partitions of a topic, on its own account. */
export class Follower implements Reader {
  readonly ended: Promise<undefined>;
  private readonly feed: Feed;
  private stopping: Promise<void> | undefined;
  private end!: () => void;

  constructor(
    database: Database,
    private readonly ends: LogEnds,
    private readonly topic: Topic,
    private readonly options: FollowerOptions,
  ) {
    const { onBatch, maxRecords, onFault } = options;
    this.feed = new Feed(database, ends, { topic, onBatch, maxRecords, onFault });
    this.ended = new Promise((resolve) => {
      this.end = () => {
        resolve(undefined);
      };
    });
  }

  /** @throws LogUnavailable */
  async start(): Promise<void> {
    const ends = await this.ends.look(this.topic.partitionIds);
    const { from, otherwise } = this.options;
    for (const [partition, end] of ends.entries())
      this.feed.add(partition, from?.get(partition) ?? (otherwise === 'end' ? end : 0));
  }

  async caughtUp(): Promise<void> {
    if (this.stopping) throw new Error(STOPPED);
    const ends = await this.ends.look(this.topic.partitionIds);
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        const { offsets } = this.feed;
        if (!ends.every((end, partition) => (offsets.get(partition) ?? 0) >= end)) return;
        forget();
        resolve();
      };
      const forget = this.feed.onEachMove(look);
      void this.ended.then(() => {
        forget();
        reject(new Error(STOPPED));
      });
      look();
    });
  }

  stop(): Promise<void> {
    this.stopping ??= this.feed.close().then(this.end);
    return this.stopping;
  }
}
