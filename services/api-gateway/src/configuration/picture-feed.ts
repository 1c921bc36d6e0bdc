import { type ConfigurationPicture, type StateRecord, TOPIC } from '@penstock/contracts';
import type { MessageLog, Reader } from '@penstock/messaging';
import { within } from './within';

/** A key that this process does not know is nobody's when it is not found in this time. */
const CATCH_UP_TIMEOUT_MS = 1_000;

/** Keeps the picture of the configuration up to date from the log. */
export class PictureFeed {
  private reader: Reader | undefined;
  private isCaughtUp = false;

  constructor(
    private readonly log: MessageLog,
    private readonly picture: ConfigurationPicture,
  ) {}

  /** Begins to read; returns before the end is reached, see {@link ready}. */
  async start(): Promise<void> {
    const reader = await this.log.follow({
      topic: TOPIC.configurationState,
      onBatch: (_, records) => {
        for (const { value } of records)
          if (value !== null) this.picture.apply(JSON.parse(value) as StateRecord);
        return Promise.resolve();
      },
    });
    this.reader = reader;
    void reader.caughtUp().then(
      () => (this.isCaughtUp = true),
      () => undefined,
    );
  }

  /** Rejects until everything has been seen that stood in the configuration at the start. */
  ready(): Promise<void> {
    return this.isCaughtUp
      ? Promise.resolve()
      : Promise.reject(new Error('the configuration has not been read yet'));
  }

  /** @returns whether the present end was reached in time. @throws LogUnavailable */
  async catchUp(): Promise<boolean> {
    if (this.reader === undefined) return false;
    return within(
      this.reader.caughtUp().then(() => true),
      CATCH_UP_TIMEOUT_MS,
      false,
    );
  }

  async stop(): Promise<void> {
    await this.reader?.stop();
  }
}
