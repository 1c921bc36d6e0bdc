import {
  type AcceptedEvent,
  type ConfigurationPicture,
  type ConnectionId,
  eventCodec,
  readAcceptedEvent,
  type Suppressions,
} from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import type { RecordValue } from '@penstock/schema';
import type { Lane } from './lanes/lane';
import type { MemoryBudget } from './partitions/memory-budget';
import type { Partition } from './partitions/partition';
import { Ticket } from './partitions/ticket';
import { unlessAborted } from './partitions/unless-aborted';
import { messageHash } from './route/message-hash';
import { isOfSuppressed } from './route/is-of-suppressed';
import { countDuplicate, countSuppressed, matchesOf } from './route/route-event';
import type { Route, Routes } from './route/routes';
import type { SeenMessages } from './store/seen-messages';

interface Incoming {
  readonly record: LogRecord;
  readonly accepted: AcceptedEvent;
  readonly hash: string;
}

/** An event with everything that decides where it goes. */
interface Routed {
  readonly accepted: AcceptedEvent;
  readonly event: RecordValue;
  readonly partition: Partition;
  readonly ticket: Ticket;
  readonly routes: readonly Route[];
  readonly nowMs: number;
}

/** What an event costs of the budget beside its text: the parsed form, its ticket, its place in lanes. */
const OVERHEAD_BYTES = 1_000;

export interface IntakeContext {
  readonly picture: ConfigurationPicture;
  readonly suppressions: Suppressions;
  readonly routes: Routes;
  readonly seen: SeenMessages;
  readonly budget: MemoryBudget;
  readonly lane: (connection: ConnectionId) => Lane;
  readonly labelOf: (connector: string) => string;
  readonly onError: (error: unknown) => void;
}

/** From a batch of the log to the lanes: whole, once, against a configuration that is new enough. */
export class EventIntake {
  constructor(private readonly context: IntakeContext) {}

  /**
   * Resolves when every record is with its lanes. Rejects, with nothing taken, while the database is away, and when
   * the partition is leaving before there is room.
   */
  async take(
    partition: Partition,
    records: readonly LogRecord[],
    leaving: AbortSignal,
  ): Promise<void> {
    const { budget, picture } = this.context;
    await unlessAborted(leaving, budget.room());
    const incoming = records.flatMap((record) => this.read(partition, record));
    const newest = Math.max(0, ...incoming.map(({ accepted }) => accepted.seen));
    await unlessAborted(leaving, picture.waitFor(newest));
    const seen = await this.context.seen.find(incoming.map(({ hash }) => hash));
    if (partition.isLost) return;
    for (const each of incoming) this.route(partition, each, seen);
  }

  private read(partition: Partition, record: LogRecord): Incoming[] {
    try {
      const accepted = readAcceptedEvent(record.value ?? '');
      return [{ record, accepted, hash: messageHash(record.key, accepted.messageId) }];
    } catch (error) {
      if (partition.receive(record.offset))
        this.passOver(record, this.ticket(partition, record, null, ''), error);
      return [];
    }
  }

  /** No gateway of ours wrote it: there is nothing to deliver, and waiting would hold the partition for good. */
  private passOver({ partition, offset }: LogRecord, ticket: Ticket, cause: unknown): void {
    this.context.onError(
      new Error(`record ${String(partition)}/${String(offset)} is not an event`, { cause }),
    );
    ticket.release();
  }

  private route(
    partition: Partition,
    { record, accepted, hash }: Incoming,
    seen: ReadonlyMap<string, string>,
  ): void {
    const nowMs = Date.now();
    const routes = this.context.routes.of(accepted.source);
    if (!partition.receive(record.offset)) return;
    const earlier = partition.recentDigest(hash) ?? seen.get(hash);
    const isFirst = earlier === undefined;
    const ticket = this.ticket(partition, record, isFirst ? hash : null, accepted.digest);
    if (!isFirst)
      return countDuplicate(routes, earlier === accepted.digest, ticket, partition, nowMs);
    if (routes.length === 0) return ticket.release();
    try {
      const event = eventCodec.parse(accepted.eventText);
      if (isOfSuppressed(this.context.suppressions, accepted.workspace, event))
        return countSuppressed(routes, ticket, partition, nowMs);
      this.toLanes(record, { accepted, event, partition, ticket, routes, nowMs });
      ticket.release();
    } catch (error) {
      this.passOver(record, ticket, error);
    }
  }

  private toLanes(
    { offset, key, value }: LogRecord,
    { accepted, event, partition, ticket, routes, nowMs }: Routed,
  ): void {
    const { labelOf } = this.context;
    const matches = matchesOf(accepted, event, routes, labelOf, partition, nowMs);
    for (const { lane, pipeline } of matches) {
      ticket.hold();
      this.context.lane(lane).add({
        partition,
        offset,
        orderKey: key,
        pipeline,
        event,
        eventText: accepted.eventText,
        body: value ?? '',
        ticket,
        sinceMs: nowMs,
        attempts: 0,
        firstAttemptMs: 0,
        values: undefined,
        valuesBytes: 0,
        isTransforming: false,
        isDone: false,
        reason: '',
      });
    }
  }

  private ticket(
    partition: Partition,
    { offset, value }: LogRecord,
    hash: string | null,
    digest: string,
  ): Ticket {
    const bytes = (value?.length ?? 0) + OVERHEAD_BYTES;
    this.context.budget.take(bytes);
    const ticket = new Ticket(partition, offset, hash, digest, bytes);
    partition.begin(ticket);
    return ticket;
  }
}
