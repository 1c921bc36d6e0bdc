import type { LogRecord } from '../message-log';
import { until } from './until';

/** Records what a reader delivers. */
export class Recorder {
  readonly batches: { readonly partition: number; readonly records: readonly LogRecord[] }[] = [];

  readonly onBatch = (partition: number, records: readonly LogRecord[]): Promise<void> => {
    this.batches.push({ partition, records });
    return Promise.resolve();
  };

  get records(): readonly LogRecord[] {
    return this.batches.flatMap(({ records }) => records);
  }

  get values(): readonly (string | null)[] {
    return this.records.map(({ value }) => value);
  }

  async untilSeen(count: number): Promise<void> {
    await until(
      `${count} records, seen ${this.records.length}`,
      () => this.records.length >= count,
    );
  }

  async untilValue(value: string | null): Promise<void> {
    await until(`the value ${value}`, () => this.values.includes(value));
  }
}

/** Returns the values of each key in the order of their first delivery, without redeliveries. */
export const firstSeenByKey = (records: readonly LogRecord[]): ReadonlyMap<string, string[]> => {
  const byKey = new Map<string, Set<string>>();
  for (const { key, value } of records) {
    byKey.set(key, (byKey.get(key) ?? new Set<string>()).add(value ?? ''));
  }
  return new Map([...byKey].map(([key, values]) => [key, [...values]]));
};
