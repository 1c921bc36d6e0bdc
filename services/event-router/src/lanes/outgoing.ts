import type { OutgoingEvent } from '@penstock/connectors';
import { SUPPRESSED } from '../route/route-event';
import type { Delivery } from './delivery';
import type { KeyQueue } from './key-queue';
import { CannotPrepare, prepare } from './prepare';
import type { Settlement } from './settlement';
import type { StoredDeliveries } from './stored-deliveries';

/** One event that our own code cannot handle must not hold the others. */
const INTERNAL_ERROR = {
  state: 'Rejected',
  step: 'Transformation',
  code: 'InternalError',
  reason: 'an internal error has occurred',
} as const;

/** Makes events for a request out of deliveries; those that cannot be made end here. */
export class Outgoing {
  constructor(
    private readonly stored: StoredDeliveries,
    private readonly settlement: Settlement,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Takes the first deliveries of a key that may be sent now, at most `room`, and adds their events. */
  take(key: KeyQueue, room: number, events: OutgoingEvent[]): Delivery[] {
    const taken: Delivery[] = [];
    while (taken.length < room) {
      const delivery = key.takeNext();
      if (delivery === undefined) break;
      if (this.stored.isDeleted(delivery)) this.settlement.park(key, delivery, 'Deleted');
      else if (this.stored.isSuppressed(delivery)) this.settlement.end(key, delivery, SUPPRESSED);
      else if (this.make(key, delivery, events)) taken.push(delivery);
    }
    return taken;
  }

  private make(key: KeyQueue, delivery: Delivery, events: OutgoingEvent[]): boolean {
    try {
      events.push(prepare(delivery));
      return true;
    } catch (error) {
      if (!(error instanceof CannotPrepare)) this.onError(error);
      const ending = error instanceof CannotPrepare ? error.ending : INTERNAL_ERROR;
      this.settlement.end(key, delivery, ending);
      return false;
    }
  }
}
