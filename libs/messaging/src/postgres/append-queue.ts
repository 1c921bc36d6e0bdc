import type { Pending } from './append-call';

const MAX_FLUSH_MESSAGES = 2_000;
const MAX_FLUSH_BYTES = 4_000_000;
/** The notification of a flush lists its partitions in less than 8,000 bytes (PostgreSQL's limit). */
const MAX_FLUSH_PARTITIONS = 256;

/** Delay before messages of rejected calls are removed together: during an outage, thousands of calls time out. */
const SWEEP_MS = 50;

/** The messages that wait to be flushed, first in, first out. Messages of rejected calls are skipped. */
export class AppendQueue {
  private waiting: Pending[] = [];
  private bytesWaiting = 0;
  private sweep: NodeJS.Timeout | undefined;

  get bytes(): number {
    return this.bytesWaiting;
  }

  get length(): number {
    return this.waiting.length;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  push(pending: Pending): void {
    this.waiting.push(pending);
    this.bytesWaiting += pending.bytes;
  }

  /** Schedules the removal of messages whose calls were rejected. */
  withdraw(): void {
    this.sweep ??= setTimeout(() => {
      this.sweep = undefined;
      this.waiting = this.waiting.filter(({ call }) => !call.isSettled);
      this.bytesWaiting = this.waiting.reduce((sum, { bytes }) => sum + bytes, 0);
    }, SWEEP_MS).unref();
  }

  /** Takes the messages of the next flush; at least one when any call still waits. */
  take(): readonly Pending[] {
    const taken: Pending[] = [];
    const partitions = new Set<number>();
    let passed = 0;
    let bytes = 0;
    for (const pending of this.waiting) {
      const isFull = taken.length > 0 && bytes + pending.bytes > MAX_FLUSH_BYTES;
      if (isFull || taken.length === MAX_FLUSH_MESSAGES) break;
      if (partitions.size === MAX_FLUSH_PARTITIONS && !partitions.has(pending.partitionId)) break;
      passed += 1;
      this.bytesWaiting -= pending.bytes;
      if (pending.call.isSettled) continue;
      taken.push(pending);
      partitions.add(pending.partitionId);
      bytes += pending.bytes;
    }
    this.waiting.splice(0, passed);
    return taken;
  }
}
