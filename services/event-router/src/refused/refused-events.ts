import type { MessageLog } from '@penstock/messaging';
import { RefusedEventsLog, type RefusedEventsLogContext } from '@penstock/platform';
import { RouterFault } from '../faults/router-fault';
import type { IncomingEvent } from '../routing/incoming-event';
import type { Clock } from '../time/clock';
import { differentBody } from './different-body';
import { RefusedErasure, type Suppressed } from './refused-erasure';
import { RefusedEventsReader } from './refused-events-reader';
import type { RefusedEventsTable } from './refused-events-table';

const APPEND_FAULT =
  'events with another body under a known message id cannot be recorded on the log; they are counted';

export interface RefusedEventsContext extends Pick<RefusedEventsLogContext, 'seal' | 'keyedHash'> {
  readonly clock: Clock;
  readonly log: Pick<MessageLog, 'append' | 'subscribe'>;
  readonly replica: Suppressed;
  readonly table: RefusedEventsTable;
  readonly onError: (error: unknown) => void;
}

/** Refused events: takes them over from the log into the store, erases those of suppressed users, and records its own. */
export class RefusedEvents {
  private readonly own: RefusedEventsLog;
  private readonly reader: RefusedEventsReader;
  private readonly erasure: RefusedErasure;

  constructor(context: RefusedEventsContext) {
    const { clock, replica, table, onError } = context;
    const nowMs = (): number => clock.nowMs();
    this.own = new RefusedEventsLog({
      ...context,
      nowMs,
      onError: (error) => {
        onError(new RouterFault(APPEND_FAULT, {}, error));
      },
    });
    const suppressedIn = replica.suppressedIn.bind(replica);
    this.reader = new RefusedEventsReader({ ...context, suppressedIn });
    this.erasure = new RefusedErasure(replica, table, nowMs);
  }

  start(): void {
    this.reader.start();
  }

  /** Records an event whose message id came before with another body. */
  differentBody(incoming: IncomingEvent): void {
    this.own.record(differentBody(incoming));
  }

  /** Call it every second. Rejects while the database is away. */
  erase(): Promise<void> {
    return this.erasure.run();
  }

  async stop(): Promise<void> {
    await Promise.all([this.own.close(), this.reader.stop()]);
  }
}
