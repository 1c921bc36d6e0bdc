import { INTEREST_HOLDS_MS, readInterests, TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog, Reader } from '@penstock/messaging';
import { RouterFault } from '../faults/router-fault';
import type { Clock } from '../time/clock';
import type { LiveInterests } from './live-interests';

/** Pause before reading begins again. */
const PAUSE_MS = 1_000;

const FAULT =
  'what is watched of the live events cannot be read from the log; trying again, those who watch see nothing until then';

export interface InterestReaderContext {
  readonly clock: Clock;
  readonly log: Pick<MessageLog, 'follow' | 'offsetsAt'>;
  readonly interests: LiveInterests;
  readonly onError: (error: unknown) => void;
}

/** Follows what the gateways announce to be watched. A router works without it: it only takes no samples then. */
export class InterestReader {
  private reader: Reader | undefined;
  private beginning: Promise<void> | undefined;
  private isStopped = false;
  private cancel: () => void = () => undefined;

  constructor(private readonly context: InterestReaderContext) {}

  /** Begins to read, and again when reading has ended by itself. */
  start(): void {
    this.beginning = this.begin().catch((error: unknown) => {
      this.again(error);
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.beginning;
    await this.reader?.stop();
  }

  /** Begins with the announcements that may still hold. */
  private async begin(): Promise<void> {
    const { log, clock } = this.context;
    const offsets = await log.offsetsAt(TOPIC.liveInterest, clock.wallMs() - INTEREST_HOLDS_MS);
    const reader = await log.follow({
      topic: TOPIC.liveInterest,
      from: new Map(offsets.map((offset, partition) => [partition, offset])),
      onBatch: (_, records) => this.take(records),
    });
    this.reader = reader;
    void reader.ended.then((cause) => {
      if (!this.isStopped) this.again(cause);
    });
    if (this.isStopped) await reader.stop();
  }

  private take(records: readonly LogRecord[]): Promise<void> {
    for (const { value } of records) {
      const announced = readInterests(value);
      if (announced !== undefined) this.context.interests.take(announced);
    }
    return Promise.resolve();
  }

  private again(cause: unknown): void {
    if (this.isStopped) return;
    this.context.onError(new RouterFault(FAULT, {}, cause));
    this.cancel = this.context.clock.after(PAUSE_MS, () => {
      this.start();
    });
  }
}
