import {
  type AppendOptions,
  type Follow,
  type LogSlice,
  MessageLog,
  type NewMessage,
  type PartitionReader,
  type Position,
  type Reader,
  type ReadPartitions,
  type Subscribe,
  type Subscription,
  TopicMoved,
  type TopicSpec,
} from '@penstock/messaging';

/** A gateway's view of a shared log: topic names get a prefix, and its readers can be made to hang. */
export class GatewayLog extends MessageLog {
  private resumed: Promise<void> = Promise.resolve();
  private release: () => void = () => undefined;

  constructor(
    private readonly log: MessageLog,
    private readonly prefix: string,
  ) {
    super();
  }

  /** Keeps records from reaching handlers until {@link goOn}. */
  hang(): void {
    this.resumed = new Promise((resolve) => (this.release = resolve));
  }

  goOn(): void {
    this.release();
  }

  override async append(
    topic: string,
    messages: readonly NewMessage[],
    { unlessMoved, ...options }: AppendOptions = {},
  ): Promise<readonly Position[]> {
    const condition = unlessMoved && {
      unlessMoved: { ...unlessMoved, topic: this.named(unlessMoved.topic) },
    };
    try {
      return await this.log.append(this.named(topic), messages, { ...options, ...condition });
    } catch (error) {
      if (error instanceof TopicMoved && unlessMoved)
        throw new TopicMoved(unlessMoved.topic, error.end);
      throw error;
    }
  }

  override follow(follow: Follow): Promise<Reader> {
    return this.log.follow({
      ...follow,
      topic: this.named(follow.topic),
      onBatch: async (...batch) => {
        await this.resumed;
        await follow.onBatch(...batch);
      },
    });
  }

  override ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    return this.log.ensureTopics(topics.map((spec) => ({ ...spec, name: this.named(spec.name) })));
  }

  override partitionsOf(topic: string): Promise<number> {
    return this.log.partitionsOf(this.named(topic));
  }

  override subscribe(options: Subscribe): Promise<Subscription> {
    return this.log.subscribe({ ...options, topic: this.named(options.topic) });
  }

  override readPartitions(options: ReadPartitions): Promise<PartitionReader> {
    return this.log.readPartitions({ ...options, topic: this.named(options.topic) });
  }

  override read(topic: string, ...where: [number, number, number]): Promise<LogSlice> {
    return this.log.read(this.named(topic), ...where);
  }

  override endOffsets(topic: string): Promise<readonly number[]> {
    return this.log.endOffsets(this.named(topic));
  }

  override beginningOffsets(topic: string): Promise<readonly number[]> {
    return this.log.beginningOffsets(this.named(topic));
  }

  override offsetsAt(topic: string, timestampMs: number): Promise<readonly number[]> {
    return this.log.offsetsAt(this.named(topic), timestampMs);
  }

  override identity(): Promise<string> {
    return this.log.identity();
  }

  override ping(): Promise<void> {
    return this.log.ping();
  }

  override close(): Promise<void> {
    return this.log.close();
  }

  private named(topic: string): string {
    return `${this.prefix}${topic}`;
  }
}
