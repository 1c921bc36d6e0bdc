import type { Outcome } from '../connector/event-destination';
import { NotWritten } from '../connector/guarded-http';

/** How an event fared that the context no longer let be sent. */
export const NOT_SENT: Outcome = {
  kind: 'unavailable',
  reason: new NotWritten().message,
  notSent: true,
};
