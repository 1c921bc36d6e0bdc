import { type ConfigurationReplica, TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog, Reader } from '@penstock/messaging';

/** Pause before reading is restarted. */
const PAUSE_MS = 1_000;

/**
 * Keeps a replica of the configuration up to date from the log; reads again when reading ends by itself. A record that the
 * replica does not take is passed by, as it would stop the configuration of everybody.
 */
export class ConfigurationReader {
  private reader: Reader | undefined;
  private appliedEnd = 0;
  private isCaughtUp = false;
  private isStopped = false;

  constructor(
    private readonly log: Pick<MessageLog, 'follow'>,
    private readonly replica: Pick<ConfigurationReplica, 'take'>,
    /** Called when a record is passed by, and when reading has ended by itself and begins again. */
    private readonly onError: (error: Error) => void,
  ) {}

  /** Offset after the last record that the replica has applied; advances in the same turn as the replica. */
  get end(): number {
    return this.appliedEnd;
  }

  /** Starts to read; {@link ready} resolves once everything present has been read. @throws LogUnavailable */
  async start(): Promise<void> {
    const reader = await this.log.follow({
      topic: TOPIC.configurationState,
      onBatch: (_, records) => this.apply(records),
    });
    if (this.isStopped) return reader.stop();
    this.reader = reader;
    void reader.caughtUp().then(
      () => (this.isCaughtUp = true),
      () => undefined,
    );
    void reader.ended.then((cause) => this.ended(cause));
  }

  /** Rejects until the configuration has been read, and again after reading has ended. */
  ready(): Promise<void> {
    return this.isCaughtUp
      ? Promise.resolve()
      : Promise.reject(new Error('the configuration has not been read'));
  }

  /** @returns whether everything was read that was on the log at this call; false when reading ends before. */
  async catchUp(): Promise<boolean> {
    const reading = this.reader?.caughtUp() ?? Promise.reject(new Error('nothing is read'));
    return reading.then(
      () => true,
      () => false,
    );
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.reader?.stop();
  }

  private apply(records: readonly LogRecord[]): Promise<void> {
    for (const record of records) this.take(record);
    const last = records.at(-1);
    if (last !== undefined) this.appliedEnd = Math.max(this.appliedEnd, last.offset + 1);
    return Promise.resolve();
  }

  private take(record: LogRecord): void {
    try {
      this.replica.take(record);
    } catch (cause) {
      const at = `${TOPIC.configurationState} at offset ${String(record.offset)}`;
      const what = 'it is none that a pipeline service has written';
      this.onError(new Error(`the record of ${at} is passed by: ${what}`, { cause }));
    }
  }

  /** Restarts from the beginning of the topic; states that were applied before have no effect. */
  private async ended(cause: Error | undefined): Promise<void> {
    this.isCaughtUp = false;
    if (this.isStopped) return;
    this.onError(
      new Error(
        'reading the configuration from the log has ended; reading it again, the last known one applies until then',
        { cause },
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    await this.start().catch((error: unknown) => this.ended(asError(error)));
  }
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
