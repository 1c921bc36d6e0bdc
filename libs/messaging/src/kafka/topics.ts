import { ConfigResourceTypes, type ITopicMetadata } from 'kafkajs';
import { LogUnavailable, type TopicSpec } from '../message-log';
import { UnsuitableTopic } from '../unsuitable-topic';
import type { AdminClient } from './admin-client';
import { isUnknownTopic } from './kafka-errors';
import { pause } from './pause';
import { type Replication, replicationFault, replicationFor } from './replication';
import { retentionChange } from './retention-change';
import { topicConfig } from './topic-config';

/** All brokers learn of a new topic within a second; an election of leaders takes longer. */
const LEADERS_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/** The readable offsets of a partition: from the first kept record to the next record's. */
export interface OffsetRange {
  readonly begin: number;
  readonly end: number;
}

/** Topics and offsets, as reported by the brokers. */
export class Topics {
  private readonly counts = new Map<string, Promise<number>>();
  private reported: string | undefined;

  /** @param onFault receives settings of replicas that would keep topics from being made, when none is missing. */
  constructor(
    private readonly admin: AdminClient,
    private readonly replication: Replication = {},
    private readonly onFault: (fault: string) => void = () => undefined,
  ) {}

  /** @throws Error when a topic is missing and the brokers are too few for the wanted replicas. */
  async ensure(specs: readonly TopicSpec[]): Promise<void> {
    const { length } = await this.admin.ask(
      async (admin) => (await admin.describeCluster()).brokers,
    );
    const fault = replicationFault(this.replication, length);
    for (const spec of specs) {
      const isThere = await this.exists(spec.name);
      if (!isThere && fault !== undefined) throw new UnsuitableTopic('replicas', fault);
      if (!isThere) await this.make(spec, length);
      await this.untilLed(spec);
      if (isThere) await this.reconcile(spec);
      // Remembers the count: another broker may not know the topic yet.
      this.counts.set(spec.name, Promise.resolve(spec.partitions));
    }
    this.report(fault);
  }

  async exists(topic: string): Promise<boolean> {
    return (await this.metadata(topic)) !== undefined;
  }

  /** Returns the partition count of a topic, which never changes; requested from the brokers at most once. */
  async partitionsOf(topic: string): Promise<number> {
    const known = this.counts.get(topic);
    if (known) return known;
    const count = this.count(topic);
    this.counts.set(topic, count);
    count.catch(() => this.counts.delete(topic));
    return count;
  }

  /** Returns the offset ranges, by partition. */
  async ranges(topic: string): Promise<readonly OffsetRange[]> {
    const offsets = await this.admin.ask((admin) => admin.fetchTopicOffsets(topic));
    return offsets
      .sort((one, other) => one.partition - other.partition)
      .map(({ low, high }) => ({ begin: Number(low), end: Number(high) }));
  }

  /** Returns the offsets at a time, by partition. */
  async offsetsAt(topic: string, timestampMs: number): Promise<readonly number[]> {
    const ask = this.admin.ask((admin) => admin.fetchTopicOffsetsByTimestamp(topic, timestampMs));
    return (await ask)
      .sort((one, other) => one.partition - other.partition)
      .map(({ offset }) => Number(offset));
  }

  /** Returns the committed positions of a group; partitions without one are left out. */
  async committed(group: string, topic: string): Promise<ReadonlyMap<number, number>> {
    const answers = await this.admin.ask((admin) =>
      admin.fetchOffsets({ groupId: group, topics: [topic] }),
    );
    const partitions = answers.flatMap((answer) => answer.partitions);
    const known = partitions.filter(({ offset }) => Number(offset) >= 0);
    return new Map(known.map(({ partition, offset }) => [partition, Number(offset)]));
  }

  private async count(topic: string): Promise<number> {
    const metadata = await this.metadata(topic);
    if (!metadata) throw new Error(`topic ${topic} does not exist`);
    return metadata.partitions.length;
  }

  private async metadata(topic: string): Promise<ITopicMetadata | undefined> {
    try {
      const ask = this.admin.ask((admin) => admin.fetchTopicMetadata({ topics: [topic] }));
      return (await ask).topics[0];
    } catch (error) {
      if (isUnknownTopic(error)) return undefined;
      throw error;
    }
  }

  /** Another process may have made the topic meanwhile: that is no error. */
  private async make(spec: TopicSpec, brokers: number): Promise<void> {
    const topics = [topicConfig(spec, replicationFor(this.replication, brokers))];
    try {
      await this.admin.ask((admin) => admin.createTopics({ topics, waitForLeaders: false }));
    } catch (cause) {
      if (cause instanceof LogUnavailable) throw cause;
      throw new Error(`topic ${spec.name} could not be made`, { cause });
    }
  }

  /** Applies the retention to an existing topic. Concurrent processes apply the same configuration. */
  private async reconcile(spec: TopicSpec): Promise<void> {
    const topic = { type: ConfigResourceTypes.TOPIC, name: spec.name };
    const described = await onceKnown(() =>
      this.admin.ask((admin) =>
        admin.describeConfigs({ resources: [topic], includeSynonyms: false }),
      ),
    ).catch(unsettled(spec, 'DescribeConfigs'));
    const configEntries = retentionChange(spec, described.resources[0]?.configEntries ?? []);
    if (configEntries === undefined) return;
    const resources = [{ ...topic, configEntries }];
    await onceKnown(() =>
      this.admin.ask((admin) => admin.alterConfigs({ validateOnly: false, resources })),
    ).catch(unsettled(spec, 'AlterConfigs'));
  }

  /** Reports the same fault once. */
  private report(fault: string | undefined): void {
    if (fault !== undefined && fault !== this.reported) this.onFault(fault);
    this.reported = fault;
  }

  private async untilLed({ name, partitions }: TopicSpec): Promise<void> {
    const deadline = Date.now() + LEADERS_TIMEOUT_MS;
    for (;;) {
      const found = (await this.metadata(name))?.partitions ?? [];
      if (found.length > 0 && found.length !== partitions)
        throw new UnsuitableTopic(
          'partitions',
          `topic ${name} has ${found.length} partitions, not ${partitions}`,
        );
      if (found.length > 0 && found.every(({ leader }) => leader >= 0)) return;
      if (Date.now() > deadline)
        throw new LogUnavailable(`topic ${name} has partitions without a leader`);
      await pause(POLL_MS);
    }
  }
}

/** Retries while a broker does not know a topic that another process has just made. */
const onceKnown = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (const deadline = Date.now() + LEADERS_TIMEOUT_MS; ; await pause(POLL_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnknownTopic(error) || Date.now() > deadline) throw error;
    }
  }
};

/** Names the missing permission. LogUnavailable is passed on unchanged. */
const unsettled =
  ({ name, retention }: TopicSpec, right: string) =>
  (cause: unknown): never => {
    if (cause instanceof LogUnavailable) throw cause;
    const what = `that topic ${name} is kept as ${String(retention)} could not be made sure of`;
    throw new UnsuitableTopic('rights', `${what}: the right ${right} on it is needed`, { cause });
  };
