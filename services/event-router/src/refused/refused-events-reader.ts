import {
  readRefusedEvent,
  type RefusedEvent,
  type SuppressionId,
  TOPIC,
} from '@penstock/contracts';
import type { LogRecord, MessageLog, Subscription } from '@penstock/messaging';
import { RouterFault } from '../faults/router-fault';
import type { Clock } from '../time/clock';
import type { RefusedEventsTable } from './refused-events-table';

/** The routers of an installation share the topic. */
const GROUP = 'event-router.refused';
/** Pause before reading begins again. */
const PAUSE_MS = 1_000;

const READ_FAULT = 'refused events cannot be read from the log; trying again';
const WRITE_FAULT = 'refused events cannot be written to PostgreSQL; trying again';

export interface RefusedEventsReaderContext {
  readonly clock: Clock;
  readonly log: Pick<MessageLog, 'subscribe'>;
  readonly table: Pick<RefusedEventsTable, 'write'>;
  /** Users of a workspace that are suppressed now. */
  readonly suppressedIn: (workspace: string) => ReadonlySet<SuppressionId>;
  readonly onError: (error: unknown) => void;
}

/** Takes refused events over from the log into the store. */
export class RefusedEventsReader {
  private subscription: Subscription | undefined;
  private beginning: Promise<void> | undefined;
  private isStopped = false;
  private cancel: () => void = () => undefined;

  constructor(private readonly context: RefusedEventsReaderContext) {}

  /** Begins to read, and again when reading has ended by itself. */
  start(): void {
    this.beginning = this.begin().catch((error: unknown) => {
      this.again(error);
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.beginning;
    await this.subscription?.stop();
  }

  private async begin(): Promise<void> {
    const subscription = await this.context.log.subscribe({
      topic: TOPIC.refusedEvents,
      group: GROUP,
      onBatch: (_, records) => this.take(records),
    });
    this.subscription = subscription;
    void subscription.ended.then((cause) => {
      this.again(cause);
    });
    if (this.isStopped) await subscription.stop();
  }

  /** Rejects while the database is away: the log gives the same records again. */
  private async take(records: readonly LogRecord[]): Promise<void> {
    const events = records.flatMap(({ value }) => readRefusedEvent(value) ?? []);
    try {
      await this.context.table.write(events.map((event) => this.withoutSuppressed(event)));
    } catch (error) {
      this.context.onError(new RouterFault(WRITE_FAULT, {}, error));
      throw error;
    }
  }

  private withoutSuppressed(event: RefusedEvent): RefusedEvent {
    const suppressed = this.context.suppressedIn(event.workspace);
    if (!event.users.some((user) => suppressed.has(user))) return event;
    return { ...event, sealed: null, messageId: null, users: [] };
  }

  private again(cause: unknown): void {
    if (this.isStopped) return;
    this.context.onError(new RouterFault(READ_FAULT, {}, cause));
    this.cancel = this.context.clock.after(PAUSE_MS, () => {
      this.start();
    });
  }
}
