import { INTEREST_HOLDS_MS, readInterests, TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog, Reader } from '@penstock/messaging';
import { RouterFault } from '../faults/router-fault';
import type { Clock } from '../time/clock';
import { Restarted } from '../time/restarted';
import type { LiveInterests } from './live-interests';

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
  private readonly reading: Restarted;

  constructor(private readonly context: InterestReaderContext) {
    const { clock, onError } = context;
    this.reading = new Restarted({
      clock,
      begin: () => this.read(),
      onFault: (cause) => {
        onError(new RouterFault(FAULT, {}, cause));
      },
    });
  }

  /** Begins to read, and again when reading has ended by itself. */
  start(): void {
    this.reading.start();
  }

  stop(): Promise<void> {
    return this.reading.stop();
  }

  /** Begins with the announcements that may still hold. */
  private async read(): Promise<Reader> {
    const { log, clock } = this.context;
    const offsets = await log.offsetsAt(TOPIC.liveInterest, clock.wallMs() - INTEREST_HOLDS_MS);
    return log.follow({
      topic: TOPIC.liveInterest,
      from: new Map(offsets.map((offset, partition) => [partition, offset])),
      onBatch: (_, records) => this.take(records),
    });
  }

  private take(records: readonly LogRecord[]): Promise<void> {
    for (const { value } of records) {
      const announced = readInterests(value);
      if (announced !== undefined) this.context.interests.take(announced);
    }
    return Promise.resolve();
  }
}
