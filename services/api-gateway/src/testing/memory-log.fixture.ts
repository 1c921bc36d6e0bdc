import {
  type AppendOptions,
  type Follow,
  type LogRecord,
  type LogSlice,
  MessageLog,
  type NewMessage,
  type PartitionReader,
  type Position,
  type Reader,
  type Subscribe,
  type Subscription,
  TopicMoved,
} from '@penstock/messaging';

/** Signal of an assignment that never ends. */
const STAYING = new AbortController().signal;

interface Following {
  readonly follow: Follow;
  next: number;
  /** Resolves when delivery resumes; undefined while it does not hang. */
  hanging: Promise<void> | undefined;
}

/** Topics of one partition in memory, for specs of HTTP only. */
export class MemoryLog extends MessageLog {
  /** While set, every append fails with it. */
  failure: Error | undefined;
  /** Whether readers receive records only when they read to the end. */
  isSlow = false;
  /** Called before each conditional append; records that it appends itself come first. */
  beforeAppend: (topic: string) => Promise<void> | void = () => undefined;
  /** Number of conditional appends, including refused ones. */
  appends = 0;
  /** Topics of all records, in the order of their appends. */
  readonly order: string[] = [];
  private readonly topics = new Map<string, LogRecord[]>();
  private readonly followings: Following[] = [];

  recordsOf(topic: string): readonly LogRecord[] {
    return this.topics.get(topic) ?? [];
  }

  override async append(
    topic: string,
    messages: readonly NewMessage[],
    { unlessMoved }: AppendOptions = {},
  ): Promise<readonly Position[]> {
    if (unlessMoved !== undefined) {
      this.appends += 1;
      await this.beforeAppend(topic);
      const { length } = this.recordsOf(unlessMoved.topic);
      if (length > unlessMoved.end) throw new TopicMoved(unlessMoved.topic, length);
    }
    if (this.failure !== undefined) throw this.failure;
    const records = this.topics.get(topic) ?? [];
    this.topics.set(topic, records);
    const added = messages.map(({ key, value }, index) => ({
      key,
      value,
      partition: 0,
      offset: records.length + index,
      timestampMs: Date.now(),
    }));
    records.push(...added);
    this.order.push(...added.map(() => topic));
    if (!this.isSlow) await this.deliver(topic);
    return added;
  }

  override async follow(follow: Follow): Promise<Reader> {
    const next = follow.otherwise === 'end' ? this.recordsOf(follow.topic).length : 0;
    const following: Following = { follow, next, hanging: undefined };
    this.followings.push(following);
    await this.deliverTo(following);
    return {
      caughtUp: async () => {
        await following.hanging;
        await this.deliverTo(following);
      },
      stop: () => {
        const place = this.followings.indexOf(following);
        if (place >= 0) this.followings.splice(place, 1);
        return Promise.resolve();
      },
      ended: new Promise(() => undefined),
    };
  }

  /** Makes the present readers hang. @returns a function that resumes them. */
  hangReaders(): () => Promise<void> {
    const those = [...this.followings];
    let release: () => void = () => undefined;
    const hanging = new Promise<void>((resolve) => (release = resolve));
    for (const following of those) following.hanging = hanging;
    return async () => {
      release();
      for (const following of those) {
        following.hanging = undefined;
        await this.deliverTo(following);
      }
    };
  }

  override readPartitions(): Promise<PartitionReader> {
    return Promise.reject(new Error('nobody reads partitions here'));
  }

  /** Answers all records from the offset on. */
  override read(topic: string, _partition: number, offset: number): Promise<LogSlice> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const { length: end } = this.recordsOf(topic);
    const records = this.recordsOf(topic).slice(offset);
    return Promise.resolve({ records, next: end, begin: 0, end });
  }

  override identity(): Promise<string> {
    return Promise.resolve('memory');
  }

  override ensureTopics(): Promise<void> {
    return Promise.resolve();
  }

  override partitionsOf(): Promise<number> {
    return Promise.resolve(1);
  }

  override async subscribe({ topic, onBatch, onAssigned }: Subscribe): Promise<Subscription> {
    await onAssigned?.([0]);
    const reader = await this.follow({ topic, onBatch });
    return { ...reader, commit: () => Promise.resolve() };
  }

  override endOffsets(topic: string): Promise<readonly number[]> {
    return Promise.resolve([this.recordsOf(topic).length]);
  }

  override beginningOffsets(): Promise<readonly number[]> {
    return Promise.resolve([0]);
  }

  override offsetsAt(topic: string, timestampMs: number): Promise<readonly number[]> {
    const records = this.recordsOf(topic);
    const first = records.findIndex((record) => record.timestampMs >= timestampMs);
    return Promise.resolve([first === -1 ? records.length : first]);
  }

  override ping(): Promise<void> {
    return this.failure === undefined ? Promise.resolve() : Promise.reject(this.failure);
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  private async deliver(topic: string): Promise<void> {
    for (const following of this.followings)
      if (following.follow.topic === topic && following.hanging === undefined)
        await this.deliverTo(following);
  }

  private async deliverTo(following: Following): Promise<void> {
    const records = this.recordsOf(following.follow.topic).slice(following.next);
    following.next += records.length;
    if (records.length > 0) await following.follow.onBatch(0, records, STAYING);
  }
}
