import { profileOf, TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog } from '@penstock/messaging';
import type { Differences } from '@penstock/platform';
import type { ProfileFold } from './profile-fold';
import { factOnTopic } from './told-fact';

/** Bytes that are read at a time, for each partition. */
const MAX_BYTES = 4_194_304;

/** Reads the facts of profiles from their topic, whenever it is asked to. */
export class ProfilesTopic {
  private readonly positions = new Map<number, number>();
  private reading = Promise.resolve();

  constructor(
    private readonly log: Pick<MessageLog, 'endOffsets' | 'read'>,
    private readonly fold: ProfileFold,
    private readonly differences: Differences,
  ) {}

  /** Resolves when all is taken that was on the topic at this call. */
  readOn(): Promise<void> {
    this.reading = this.reading.then(() => this.read());
    return this.reading;
  }

  private async read(): Promise<void> {
    const ends = await this.log.endOffsets(TOPIC.profiles);
    for (const [partition, end] of ends.entries()) await this.readPartition(partition, end);
  }

  private async readPartition(partition: number, end: number): Promise<void> {
    for (let at = this.positions.get(partition) ?? 0; at < end;) {
      const { records, next } = await this.log.read(TOPIC.profiles, partition, at, MAX_BYTES);
      for (const record of records) this.take(record);
      this.positions.set(partition, next);
      at = next;
    }
  }

  private take({ partition, offset, key, value }: LogRecord): void {
    const fact = factOnTopic(value);
    const where = `${TOPIC.profiles} partition ${String(partition)} offset ${String(offset)}`;
    if (fact === undefined) this.differences.report(where, 'is not a fact of a profile');
    else if (key !== profileOf(fact.fact))
      this.differences.report(where, 'is not under its profile');
    else this.fold.take(fact);
  }
}
