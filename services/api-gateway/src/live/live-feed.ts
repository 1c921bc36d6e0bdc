import { TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog, Reader } from '@penstock/messaging';
import { CollectedRecords } from './collected-records';

export interface LiveFeedContext {
  readonly log: Pick<MessageLog, 'follow'>;
  readonly onRecords: (records: readonly LogRecord[]) => void;
  /** Called when reading has ended by itself. */
  readonly onEnded: (cause: unknown) => void;
}

/** Reads the topic of live events once for all who watch through this gateway, and only while somebody does. */
export class LiveFeed {
  private reading: Promise<Reader> | undefined;
  private collected: CollectedRecords | undefined;

  constructor(private readonly context: LiveFeedContext) {}

  /** Resolves when everything that is appended from now on will be read. @throws LogUnavailable */
  async open(): Promise<void> {
    const reading = (this.reading ??= this.begin());
    try {
      await reading;
    } catch (error) {
      if (this.reading === reading) this.reading = undefined;
      throw error;
    }
  }

  /** Reads no more. */
  async close(): Promise<void> {
    const { reading } = this;
    this.reading = undefined;
    this.collected?.stop();
    const reader = await reading?.catch(() => undefined);
    // Nothing of it is shown any more, whether it could be stopped or not.
    await reader?.stop().catch(() => undefined);
  }

  private begin(): Promise<Reader> {
    const collected = new CollectedRecords(this.context.onRecords);
    this.collected = collected;
    const reading: Promise<Reader> = this.context.log.follow({
      topic: TOPIC.live,
      otherwise: 'end',
      onBatch: (_, records) => collected.add(records),
    });
    void reading.then(
      async ({ ended }) => {
        const cause = await ended;
        if (this.reading !== reading) return;
        this.reading = undefined;
        this.context.onEnded(cause);
      },
      () => undefined,
    );
    return reading;
  }
}
