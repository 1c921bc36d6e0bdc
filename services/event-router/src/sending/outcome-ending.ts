import type { Outcome } from '@penstock/connectors';
import { DELIVERED } from '../lanes/endings';
import type { Ending } from '../store/changes';

/** An attempt that may succeed later. */
export type Unavailable = Extract<Outcome, { kind: 'unavailable' }>;

/** How a delivery ends by the answer of its application. */
export const endingOf = (outcome: Exclude<Outcome, Unavailable>): Ending => {
  if (outcome.kind === 'delivered') return DELIVERED;
  const code = outcome.status === undefined ? 'Refused' : String(outcome.status);
  return { state: 'Rejected', step: 'Finalize', code, reason: outcome.reason };
};

/** The application refuses our credentials: that is a fault of the settings, not of the event. */
export const isDenied = ({ status }: Unavailable): boolean => status === 401 || status === 403;

/** The application is asked too often. */
export const isThrottled = ({ status }: Unavailable): boolean => status === 429;
