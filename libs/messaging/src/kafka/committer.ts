import type { Consumer } from 'kafkajs';
import type { KafkaLogger } from './kafka-client';
import { pause } from './pause';

/** The least time between two commits, each a round trip: a crash repeats what was handled in it. */
const GATHER_MS = 50;

/** Moves the group's positions behind what was handled: several partitions in one commit, one at a time. */
export class Committer {
  private readonly handled = new Map<number, number>();
  private readonly closing = new AbortController();
  private work: Promise<void> | undefined;

  constructor(
    private readonly consumer: Pick<Consumer, 'commitOffsets'>,
    private readonly topic: string,
    private readonly logger: KafkaLogger,
  ) {}

  /** To be committed soon. A commit that fails is logged and repeated with the next. */
  handledUpTo(partition: number, nextOffset: number): void {
    this.handled.set(partition, nextOffset);
    this.work ??= this.commitAll().finally(() => (this.work = undefined));
  }

  /** Commits what is left at once. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.work;
  }

  /** @throws KafkaJSError when the position was not taken. */
  async commit(positions: ReadonlyMap<number, number>): Promise<void> {
    const { topic } = this;
    await this.consumer.commitOffsets(
      [...positions].map(([partition, offset]) => ({ topic, partition, offset: String(offset) })),
    );
  }

  private async commitAll(): Promise<void> {
    while (this.handled.size > 0) {
      const positions = new Map(this.handled);
      this.handled.clear();
      try {
        await this.commit(positions);
      } catch (error) {
        this.logger('warn', 'positions were not committed', { topic: this.topic, error });
        if (this.closing.signal.aborted) return;
        for (const [partition, offset] of positions)
          if (!this.handled.has(partition)) this.handled.set(partition, offset);
      }
      await pause(GATHER_MS, this.closing.signal);
    }
  }
}
