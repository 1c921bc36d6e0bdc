import { randomUUID } from 'node:crypto';
import type { MessageLog, TopicSpec } from '../message-log';
import { partitionOf } from '../partition-of';

export interface OpenOptions {
  /** Bytes that may wait to be appended before the log is overloaded; default: the adapter's. */
  readonly maxBufferedBytes?: number;
  /**
   * Milliseconds after which an adapter that looks up the ends that appends depend on gives a look-up up; default: the
   * harness's, so long that a busy server answers in time.
   */
  readonly endsTimeoutMs?: number;
}

/** Gives the contract access to an adapter and to its server. */
export interface LogHarness {
  /** Opens another log on the server under test; the contract closes it. */
  readonly open: (options?: OpenOptions) => Promise<MessageLog>;
  /** For child processes: a module that exports `openLog(): Promise<MessageLog>`, and its environment. */
  readonly child: { readonly module: string; readonly env: Readonly<Record<string, string>> };
  /** Simulates an outage: breaks the connections of every open log and refuses new ones until `end`. */
  readonly outage: { begin(): Promise<void>; end(): Promise<void> };
  /** Resolves once the topic has been compacted, except for its last record. */
  readonly compact: (log: MessageLog, topic: string) => Promise<void>;
  /** Deletes all records of a topic with a retention of one hour, as retention does. */
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

/** Makes a unique name: the server outlives the test. */
export const fresh = (what: string): string => `${what}-${randomUUID()}`;

/** Makes a topic for one test. */
export const freshTopic = async (
  log: MessageLog,
  partitions: number,
  retention: TopicSpec['retention'] = 'forever',
): Promise<string> => {
  const name = fresh('topic');
  await log.ensureTopics([{ name, partitions, retention }]);
  return name;
};

/** Finds a key that belongs to the partition. */
export const keyIn = (partition: number, partitions: number): string => {
  for (let attempt = 0; ; attempt += 1) {
    const key = `key-${attempt}`;
    if (partitionOf(key, partitions) === partition) return key;
  }
};

/** Returns `first`, `first + 1` … `last` as texts. */
export const numbered = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
