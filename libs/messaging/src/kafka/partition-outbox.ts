import { LogUnavailable, type NewMessage } from '../message-log';
import type { Entry } from './append-call';
import { isRefusal, isUnknownTopic } from './kafka-errors';
import { backoffMs, pause } from './pause';

/** Limit of a send. Measured: more than 500 messages of 1 KB gain nothing. */
const MAX_MESSAGES = 500;
/** Below Kafka's default message.max.bytes (1,048,588), which applies to the whole batch of a partition. */
const MAX_BYTES = 900_000;

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;

export interface OutboxOptions {
  /** Makes one attempt to append the messages; resolves with the offset of the first. */
  readonly produce: (messages: readonly NewMessage[]) => Promise<number>;
  /** Awaited before each send; the returned function is called when the send has ended. */
  readonly takeSlot: () => Promise<() => void>;
  /** Awaited before a batch is sent: fails the calls whose condition does not hold. */
  readonly admit: (batch: readonly Entry[]) => Promise<void>;
  /** Milliseconds for which messages gather before they are sent; 0: until the end of the present turn. */
  readonly lingerMs: () => number;
  /** Called with the bytes of entries that are no longer held. */
  readonly released: (bytes: number) => void;
  readonly partition: number;
}

/**
 * The messages that wait to be sent to one partition, in order. One send at a time, so that no message overtakes a
 * retry. An idle writer's message is sent at the end of the present turn of the event loop, a busy writer's messages
 * gather for a moment.
 */
export class PartitionOutbox {
  private readonly waiting = new Set<Entry>();
  private waitingBytes = 0;
  private isSending = false;
  private cancelPlan: (() => void) | undefined;

  constructor(private readonly options: OutboxOptions) {}

  add(entry: Entry): void {
    this.waiting.add(entry);
    this.waitingBytes += entry.bytes;
    this.plan();
  }

  /** Withdraws an entry that has not been sent: it will never be in the log. */
  withdraw(entry: Entry): void {
    if (!this.waiting.delete(entry)) return;
    this.waitingBytes -= entry.bytes;
    this.options.released(entry.bytes);
  }

  private plan(): void {
    if (this.isSending || this.waiting.size === 0) return;
    const isFull = this.waiting.size >= MAX_MESSAGES || this.waitingBytes >= MAX_BYTES;
    if (this.cancelPlan && !isFull) return;
    this.cancelPlan?.();
    this.cancelPlan = after(isFull ? 0 : this.options.lingerMs(), () => {
      this.cancelPlan = undefined;
      void this.send();
    });
  }

  private async send(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    const giveBack = await this.options.takeSlot();
    const batch = this.take();
    await this.options.admit(batch);
    await this.sendUntilSettled(this.dropClosed(batch));
    giveBack();
    this.isSending = false;
    this.plan();
  }

  private take(): Entry[] {
    const batch: Entry[] = [];
    let bytes = 0;
    for (const entry of this.waiting) {
      const isFull = batch.length === MAX_MESSAGES || bytes + entry.bytes > MAX_BYTES;
      if (batch.length > 0 && isFull) break;
      batch.push(entry);
      bytes += entry.bytes;
      this.waiting.delete(entry);
    }
    this.waitingBytes -= bytes;
    return batch;
  }

  /** Retries while a caller waits: an attempt that failed may have been stored, and must precede the next messages. */
  private async sendUntilSettled(batch: readonly Entry[]): Promise<void> {
    let open = batch;
    for (let attempt = 1; open.length > 0; attempt += 1) {
      try {
        const first = await this.options.produce(open.map(({ message }) => message));
        this.settle(open, first);
        return;
      } catch (error) {
        settleCallers(open, error);
        open = this.dropClosed(open);
        if (open.length > 0) await pause(backoffMs(attempt, FIRST_RETRY_MS, LAST_RETRY_MS));
        open = this.dropClosed(open);
      }
    }
  }

  private settle(batch: readonly Entry[], firstOffset: number): void {
    const { partition } = this.options;
    for (const [nth, { call, index, bytes }] of batch.entries()) {
      this.options.released(bytes);
      call.stored(index, { partition, offset: firstOffset + nth });
    }
  }

  /** Removes entries whose callers no longer wait: they are not sent again. */
  private dropClosed(batch: readonly Entry[]): readonly Entry[] {
    for (const { call, bytes } of batch) if (!call.isOpen) this.options.released(bytes);
    return batch.filter(({ call }) => call.isOpen);
  }
}

const settleCallers = (batch: readonly Entry[], cause: unknown): void => {
  const isFinal = isRefusal(cause) && !isUnknownTopic(cause);
  for (const { call } of batch)
    if (isFinal) call.fail(new LogUnavailable('Kafka refuses the messages', { cause }));
    else call.retried(cause);
};

/** Runs the task after `ms`, or at the end of this turn when that is 0. @returns a function that cancels it. */
const after = (ms: number, task: () => void): (() => void) => {
  if (ms === 0) {
    const immediate = setImmediate(task);
    return () => {
      clearImmediate(immediate);
    };
  }
  const timer = setTimeout(task, ms);
  return () => {
    clearTimeout(timer);
  };
};
