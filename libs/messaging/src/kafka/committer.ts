import type { Consumer } from 'kafkajs';
import type { KafkaLogger } from './kafka-logger';
import { pause } from './pause';

/**
 * Minimal time between two commits, each of them a round trip. After a crash, records handled in this time are
 * repeated.
 */
const GATHER_MS = 50;

/** Commits the group's positions: several partitions in one commit, one commit at a time. */
export class Committer {
  private readonly handled = new Map<number, number>();
  private readonly closing = new AbortController();
  private work: Promise<void> | undefined;

  constructor(
    private readonly consumer: Pick<Consumer, 'commitOffsets'>,
    private readonly topic: string,
    private readonly logger: KafkaLogger,
  ) {}

  /** Schedules a commit. A failed commit is logged and repeated with the next. */
  handledUpTo(partition: number, nextOffset: number): void {
    this.handled.set(partition, nextOffset);
    this.work ??= this.commitAll().finally(() => (this.work = undefined));
  }

  /** Commits outstanding positions without delay. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.work;
  }

  /** @throws KafkaJSError when the commit fails. */
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
        this.logger(
          'warn',
          'the positions of a reader could not be committed to Kafka; trying again with the next ones',
          { topic: this.topic, error },
        );
        if (this.closing.signal.aborted) return;
        for (const [partition, offset] of positions)
          if (!this.handled.has(partition)) this.handled.set(partition, offset);
      }
      await pause(GATHER_MS, this.closing.signal);
    }
  }
}
