import { setImmediate as nextTurn } from 'node:timers/promises';
import { TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog, Reader } from '@penstock/messaging';

export interface LiveFeedContext {
  readonly log: Pick<MessageLog, 'follow'>;
  readonly onRecord: (record: LogRecord) => void;
  /** Called when reading has ended by itself. */
  readonly onEnded: (cause: unknown) => void;
}

/** After so many characters what was written is sent, so that a client that reads is never taken for a slow one. */
const MAX_AT_ONCE = 32_768;

/** Reads the topic of live events once for all who watch through this gateway, and only while somebody does. */
export class LiveFeed {
  private reading: Promise<Reader> | undefined;
  private written = 0;

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
    // Nothing of it is shown any more, whether it could be stopped or not.
    await reader?.stop().catch(() => undefined);
  }

  private begin(): Promise<Reader> {
    const reading: Promise<Reader> = this.context.log.follow({
      topic: TOPIC.live,
      otherwise: 'end',
      onBatch: async (_, records) => {
        for (const record of records) {
          if (this.reading !== reading) return;
          this.context.onRecord(record);
          await this.letSend(record);
        }
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

  private async letSend({ value }: LogRecord): Promise<void> {
    this.written += value?.length ?? 0;
    if (this.written < MAX_AT_ONCE) return;
    this.written = 0;
    await nextTurn();
  }
}
