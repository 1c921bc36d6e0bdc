import type { Follow, Reader } from '../message-log';
import type { Database } from './database';
import { Feed } from './feed';
import type { LogEnds } from './log-ends';
import type { Topic } from './topics';

const STOPPED = 'the reader was stopped';

export interface FollowerOptions extends Follow {
  readonly onFault: (what: string, error: unknown) => void;
}

/** Reads all partitions of a topic without a group. */
export class Follower implements Reader {
  readonly ended: Promise<undefined>;
  private readonly feed: Feed;
  private stopping: Promise<void> | undefined;
  private end!: () => void;
  /**
   * Callers of `caughtUp` that wait; emptied at every move, so that nothing accumulates over the life of the process.
   */
  private readonly waiting: (() => void)[] = [];

  constructor(
    database: Database,
    private readonly ends: LogEnds,
    private readonly topic: Topic,
    private readonly options: FollowerOptions,
  ) {
    const { onBatch, maxRecords, onFault } = options;
    const onMoved = () => {
      this.wakeWaiting();
    };
    this.feed = new Feed(database, ends, { topic, onBatch, maxRecords, onFault, onMoved });
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
    while (!this.isAt(ends)) await this.untilMoved();
  }

  stop(): Promise<void> {
    this.stopping ??= this.feed.close().then(() => {
      this.end();
      this.wakeWaiting();
    });
    return this.stopping;
  }

  private isAt(ends: readonly number[]): boolean {
    if (this.stopping) throw new Error(STOPPED);
    const { offsets } = this.feed;
    return ends.every((end, partition) => (offsets.get(partition) ?? 0) >= end);
  }

  /** Resolves when the feed has moved, or the reader was stopped. */
  private untilMoved(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private wakeWaiting(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }
}
