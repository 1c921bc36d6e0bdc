import {
  readRefusedEvent,
  type RefusedEvent,
  type SuppressionId,
  TOPIC,
} from '@penstock/contracts';
import type { LogRecord, MessageLog } from '@penstock/messaging';
import { RouterFault } from '../faults/router-fault';
import type { Clock } from '../time/clock';
import { Restarted } from '../time/restarted';
import type { RefusedEventsTable } from './refused-events-table';

/** The routers of an installation share the topic. */
const GROUP = 'event-router.refused';
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
  private readonly reading: Restarted;

  constructor(private readonly context: RefusedEventsReaderContext) {
    const { clock, log, onError } = context;
    this.reading = new Restarted({
      clock,
      begin: () =>
        log.subscribe({
          topic: TOPIC.refusedEvents,
          group: GROUP,
          onBatch: (_, records) => this.take(records),
        }),
      onFault: (cause) => {
        onError(new RouterFault(READ_FAULT, {}, cause));
      },
    });
  }

  /** Begins to read, and again when reading has ended by itself. */
  start(): void {
    this.reading.start();
  }

  stop(): Promise<void> {
    return this.reading.stop();
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
}
