import type { LogRecord, LogSlice } from '@penstock/messaging';
import { BEGINNING_MS, type ProcessClock } from './process-clock.fixture';
import type { Simulation } from './simulation.fixture';

/** The events topic of a simulation. */
export class SimulatedLog {
  readonly partitions: LogRecord[][];
  /** The first offset of each partition that retention has kept. */
  readonly begins: number[];
  private wakes: (() => void)[] = [];

  /** @param holes fraction of offsets without a record, like those of Kafka's control records. */
  constructor(
    private readonly simulation: Simulation,
    count: number,
    private readonly holes: number,
  ) {
    this.partitions = Array.from({ length: count }, () => []);
    this.begins = this.partitions.map(() => 0);
  }

  append(partition: number, key: string, value: string | null): LogRecord {
    const records = this.partitions[partition]!;
    const timestampMs = BEGINNING_MS + this.simulation.nowMs;
    const offset = this.end(partition) + (this.simulation.chance(this.holes) ? 1 : 0);
    const record = { partition, offset, timestampMs, key, value };
    records.push(record);
    for (const wake of this.wakes.splice(0)) wake();
    return record;
  }

  /** The offset after the last record. */
  end(partition: number): number {
    return (this.partitions[partition]!.at(-1)?.offset ?? -1) + 1;
  }

  /** Removes the records below the offset, as retention does. */
  forget(partition: number, below: number): void {
    this.begins[partition] = Math.max(this.begins[partition]!, below);
  }

  /** The next records from the offset on. */
  from(partition: number, offset: number, most = Infinity): LogRecord[] {
    const index = this.indexFrom(partition, offset);
    return this.partitions[partition]!.slice(index, index + most);
  }

  async read(
    clock: ProcessClock,
    partition: number,
    offset: number,
    maxBytes: number,
  ): Promise<LogSlice> {
    await clock.reach(this.simulation.sleep(this.simulation.between(0, 10)));
    const begin = this.begins[partition]!;
    const records: LogRecord[] = [];
    let bytes = 0;
    const all = this.partitions[partition]!;
    for (let index = this.indexFrom(partition, offset); index < all.length; index += 1) {
      const record = all[index]!;
      const more = record.value?.length ?? 0;
      if (records.length > 0 && bytes + more > maxBytes) break;
      bytes += more;
      records.push(record);
    }
    const next = (records.at(-1)?.offset ?? Math.max(offset, begin) - 1) + 1;
    return { records, next, begin, end: this.end(partition) };
  }

  untilAppended(): Promise<void> {
    return new Promise((resolve) => this.wakes.push(resolve));
  }

  /** Where the first record from the offset on is; after the last one when there is none. */
  private indexFrom(partition: number, offset: number): number {
    const records = this.partitions[partition]!;
    const first = Math.max(offset, this.begins[partition]!);
    // No offset is below its index.
    let index = Math.min(first, records.length);
    while (index > 0 && records[index - 1]!.offset >= first) index -= 1;
    return index;
  }
}
