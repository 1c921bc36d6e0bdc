import {
  type AcceptedEvent,
  type ConfigurationPicture,
  type ConnectionId,
  readAcceptedEvent,
} from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import type { Lane } from './lanes/lane';
import type { MemoryBudget } from './partitions/memory-budget';
import type { Partition } from './partitions/partition';
import { Ticket } from './partitions/ticket';
import { messageHash } from './route/message-hash';
import { countDuplicate, matchesOf } from './route/route-event';
import type { Routes } from './route/routes';
import type { SeenMessages } from './store/seen-messages';

interface Incoming {
  readonly record: LogRecord;
  readonly accepted: AcceptedEvent;
  readonly source: ConnectionId;
  readonly hash: string;
}

/** What an event costs of the budget beside its text: the parsed form, its ticket, its place in lanes. */
const OVERHEAD_BYTES = 1_000;

export interface IntakeContext {
  readonly picture: ConfigurationPicture;
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
   * Resolves when every record is with its lanes. Rejects, with nothing taken, while the database is away.
   */
  async take(partition: Partition, records: readonly LogRecord[]): Promise<void> {
    const { budget, picture } = this.context;
    await budget.room();
    const incoming = records.flatMap((record) => this.read(partition, record));
    await picture.waitFor(Math.max(0, ...incoming.map(({ accepted }) => accepted.seen)));
    const seen = await this.context.seen.find(incoming.map(({ hash }) => hash));
    if (partition.isLost) return;
    for (const each of incoming) this.route(partition, each, seen);
  }

  private read(partition: Partition, record: LogRecord): Incoming[] {
    try {
      const accepted = readAcceptedEvent(record.value ?? '');
      const { connectionId, messageId } = accepted.event;
      const hash = messageHash(record.key, messageId as string);
      return [{ record, accepted, source: connectionId as ConnectionId, hash }];
    } catch (error) {
      // No gateway of ours wrote it: there is nothing to deliver, and waiting would hold the partition for good.
      this.context.onError(
        new Error(`record ${String(record.partition)}/${String(record.offset)} is not an event`, {
          cause: error,
        }),
      );
      if (partition.receive(record.offset)) this.ticket(partition, record, null, '').release();
      return [];
    }
  }

  private route(
    partition: Partition,
    { record, accepted, source, hash }: Incoming,
    seen: ReadonlyMap<string, string>,
  ): void {
    if (!partition.receive(record.offset)) return;
    const nowMs = Date.now();
    const routes = this.context.routes.of(source);
    const earlier = partition.recentDigest(hash) ?? seen.get(hash);
    const ticket = this.ticket(
      partition,
      record,
      earlier === undefined ? hash : null,
      accepted.digest,
    );
    if (earlier !== undefined)
      return countDuplicate(routes, earlier === accepted.digest, ticket, partition, nowMs);
    for (const match of matchesOf(accepted, routes, this.context.labelOf, partition, nowMs)) {
      ticket.hold();
      this.context.lane(match.lane).add({
        partition,
        offset: record.offset,
        orderKey: record.key,
        pipeline: match.pipeline,
        event: accepted.event,
        eventText: accepted.eventText,
        body: record.value ?? '',
        ticket,
        sinceMs: nowMs,
        attempts: 0,
        firstAttemptMs: 0,
        values: undefined,
        reason: '',
      });
    }
    ticket.release();
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
