import { randomUUID } from 'node:crypto';
import type { MessageLog, TopicSpec } from '../message-log';
import { partitionOf } from '../partition-of';

export interface OpenOptions {
  /** Bytes that may wait to be appended before the log is overloaded; left out: the adapter's default. */
  readonly maxBufferedBytes?: number;
}

/** How the contract reaches an adapter, and does to its server what only the adapter's spec can do. */
export interface LogHarness {
  /** Opens another log on the server under test; the contract closes it. */
  readonly open: (options?: OpenOptions) => Promise<MessageLog>;
  /** For a process of its own: a module that exports `openLog(): Promise<MessageLog>`, and its environment. */
  readonly child: { readonly module: string; readonly env: Readonly<Record<string, string>> };
  /** Takes the server from every open log (connections broken, new ones refused), and gives it back. */
  readonly outage: { begin(): Promise<void>; end(): Promise<void> };
  /** Resolves once the topic, of which everything may be compacted but the last record, has been. */
  readonly compact: (log: MessageLog, topic: string) => Promise<void>;
  /** Drops all that stands in a topic of an hour's retention, as old records are dropped. */
  readonly drop: (log: MessageLog, topic: string) => Promise<void>;
}

/** Opens logs that are closed after each test, so that a failed assertion leaves no connection behind. */
export const opener = (harness: LogHarness): LogHarness['open'] => {
  const logs: MessageLog[] = [];
  afterEach(async () => {
    await Promise.all(logs.splice(0).map((log) => log.close()));
  });
  return async (options) => {
    const log = await harness.open(options);
    logs.push(log);
    return log;
  };
};

/** A name nobody else uses: the server outlives the test. */
export const fresh = (what: string): string => `${what}-${randomUUID()}`;

/** Makes a topic of its own for a test. */
export const freshTopic = async (
  log: MessageLog,
  partitions: number,
  retention: TopicSpec['retention'] = 'forever',
): Promise<string> => {
  const name = fresh('topic');
  await log.ensureTopics([{ name, partitions, retention }]);
  return name;
};

/** A key that falls into the partition. */
export const keyIn = (partition: number, partitions: number): string => {
  for (let attempt = 0; ; attempt += 1) {
    const key = `key-${attempt}`;
    if (partitionOf(key, partitions) === partition) return key;
  }
};

/** `first`, `first + 1` … `last` as text. */
export const numbered = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
