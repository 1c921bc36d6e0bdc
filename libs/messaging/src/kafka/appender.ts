import type { Kafka, Producer } from 'kafkajs';
import { checkLimits } from '../append-limits';
import {
  type AppendOptions,
  LogOverloaded,
  LogUnavailable,
  type NewMessage,
  type Position,
} from '../message-log';
import { partitionOf } from '../partition-of';
import { checkOffset } from '../read-limits';
import type { UnlessMoved } from '../topic-moved';
import { AppendCall, type Entry } from './append-call';
import { Conditions, type ConditionsOptions } from './conditions';
import { messageBytes } from './message-bytes';
import { PartitionOutbox } from './partition-outbox';
import { backoffMs, pause } from './pause';
import { givenPartition, produce } from './produce';
import { SendPace } from './send-pace';
import { SendSlots } from './send-slots';
import type { Topics } from './topics';

const DEFAULT_TIMEOUT_MS = 30_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/** Upper bound of the pause between two look-ups, during which the messages of a busy writer gather. */
const MAX_GAP_MS = 10;

export interface AppenderOptions extends Pick<
  ConditionsOptions,
  'endOf' | 'sharedForMs' | 'lookUpTimeoutMs'
> {
  readonly maxBufferedBytes: number;
}

type Outboxes = readonly PartitionOutbox[];

interface SizedAppend {
  readonly topic: string;
  readonly messages: readonly NewMessage[];
  /** Bytes of each message. */
  readonly sizes: readonly number[];
  readonly timeoutMs: number;
  readonly unlessMoved: UnlessMoved | undefined;
}

/** Accepts appends, bounds the bytes that wait, and distributes messages to the outboxes of partitions. */
export class Appender {
  private readonly routes = new Map<string, Promise<Outboxes>>();
  private readonly open = new Set<Promise<unknown>>();
  private readonly pace = new SendPace();
  private readonly slots = new SendSlots();
  private readonly conditions: Conditions;
  private readonly producer: Producer;
  private connection: Promise<void> | undefined;
  private readonly ended = new AbortController();
  private bufferedBytes = 0;
  private isClosed = false;

  constructor(
    kafka: Kafka,
    private readonly topics: Topics,
    private readonly options: AppenderOptions,
  ) {
    const gapMs = (): number => Math.min(MAX_GAP_MS, this.pace.lingerMs());
    this.conditions = new Conditions({ ...options, topics, gapMs });
    this.producer = kafka.producer({
      createPartitioner: givenPartition,
      idempotent: false,
      allowAutoTopicCreation: false,
      retry: { retries: 0 },
    });
  }

  async append(
    topic: string,
    messages: readonly NewMessage[],
    { timeoutMs = DEFAULT_TIMEOUT_MS, unlessMoved }: AppendOptions = {},
  ): Promise<readonly Position[]> {
    messages.forEach(checkLimits);
    if (unlessMoved) checkOffset(unlessMoved.end);
    const sizes = messages.map(messageBytes);
    if (this.isClosed) throw new LogUnavailable('the log is closed');
    if (messages.length === 0) return [];
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (this.bufferedBytes + bytes > this.options.maxBufferedBytes)
      throw new LogOverloaded(`${this.bufferedBytes} bytes are waiting, ${bytes} more`);
    this.bufferedBytes += bytes;
    return this.send({ topic, messages, sizes, timeoutMs, unlessMoved });
  }

  /** Accepts no more appends; resolves once every append has settled. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled(this.open);
    this.ended.abort();
    await this.producer.disconnect();
  }

  private send(append: SizedAppend): Promise<readonly Position[]> {
    const { topic, messages, sizes, timeoutMs, unlessMoved } = append;
    let withdraw: () => void = () => undefined;
    const onTimeout = (): void => {
      withdraw();
    };
    const call = new AppendCall(messages.length, timeoutMs, onTimeout, unlessMoved);
    const entries = messages.map((message, index): Entry => ({
      message,
      bytes: sizes[index] ?? 0,
      call,
      index,
    }));
    const closed = (): unknown => this.open.delete(call.outcome);
    this.open.add(call.outcome);
    call.outcome.then(closed, closed);
    this.route(topic).then(
      (outboxes) => (withdraw = this.post(entries, outboxes)),
      (error: unknown) => {
        this.release(sizes.reduce((sum, size) => sum + size, 0));
        call.fail(error instanceof Error ? error : new LogUnavailable(String(error)));
      },
    );
    return call.outcome;
  }

  /** @returns a function that withdraws the entries which have not been sent. */
  private post(entries: readonly Entry[], outboxes: Outboxes): () => void {
    const posted = entries.map((entry) => {
      const outbox = outboxes[partitionOf(entry.message.key, outboxes.length)];
      outbox?.add(entry);
      return { outbox, entry };
    });
    const withdraw = (): void => {
      for (const { outbox, entry } of posted) outbox?.withdraw(entry);
    };
    if (entries[0]?.call.isOpen === false) withdraw();
    return withdraw;
  }

  private release(bytes: number): void {
    this.bufferedBytes -= bytes;
  }

  /** All appends to a topic wait for the same promise, so they continue in the order of their calls. */
  private route(topic: string): Promise<Outboxes> {
    const known = this.routes.get(topic);
    if (known) return known;
    const route = this.openRoute(topic);
    this.routes.set(topic, route);
    route.catch(() => this.routes.delete(topic));
    return route;
  }

  private async openRoute(topic: string): Promise<Outboxes> {
    const count = await this.partitionsOf(topic);
    return Array.from({ length: count }, (_, partition) => this.openOutbox(topic, partition));
  }

  private async partitionsOf(topic: string): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.topics.partitionsOf(topic);
      } catch (error) {
        if (!(error instanceof LogUnavailable) || this.ended.signal.aborted) throw error;
        await pause(backoffMs(attempt, FIRST_RETRY_MS, LAST_RETRY_MS), this.ended.signal);
      }
    }
  }

  private openOutbox(topic: string, partition: number): PartitionOutbox {
    return new PartitionOutbox({
      partition,
      lingerMs: () => this.pace.lingerMs(),
      admit: (batch) => this.conditions.admit(batch),
      takeSlot: () => this.slots.take(),
      released: (bytes) => {
        this.release(bytes);
      },
      produce: async (messages) => {
        this.pace.count();
        await this.connected();
        return produce(this.producer, topic, partition, messages);
      },
    });
  }

  private connected(): Promise<void> {
    this.connection ??= this.producer.connect().catch((error: unknown) => {
      this.connection = undefined;
      throw error;
    });
    return this.connection;
  }
}
