import { TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog, Reader } from '@penstock/messaging';

export interface LiveFeedContext {
  readonly log: Pick<MessageLog, 'follow'>;
  readonly onRecords: (records: readonly LogRecord[]) => void;
  /** Called when reading has ended by itself. */
  readonly onEnded: (cause: unknown) => void;
}

/** Reads the topic of live events once for all who watch through this gateway, and only while somebody does. */
export class LiveFeed {
  private reading: Promise<Reader> | undefined;

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
    const reader = await reading?.catch(() => undefined);
    await reader?.stop();
  }

  private begin(): Promise<Reader> {
    const reading: Promise<Reader> = this.context.log.follow({
      topic: TOPIC.live,
      otherwise: 'end',
      onBatch: (_, records) => {
        if (this.reading === reading) this.context.onRecords(records);
        return Promise.resolve();
      },
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
