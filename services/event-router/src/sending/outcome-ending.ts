import type { Outcome } from '@penstock/connectors';
import { DELIVERED } from '../lanes/endings';
import type { Ending } from '../store/changes';

/** Outcome of an attempt that failed with a retryable error. */
export type Unavailable = Extract<Outcome, { kind: 'unavailable' }>;

/** The ending of a delivery that was delivered or rejected. */
export const endingOf = (outcome: Exclude<Outcome, Unavailable>): Ending => {
  if (outcome.kind === 'delivered') return DELIVERED;
  const code = outcome.status === undefined ? 'Refused' : String(outcome.status);
  return { state: 'Rejected', step: 'Finalize', code, reason: outcome.reason };
};

/** Whether the destination answered 401 or 403: a fault of the credentials, not of the event. */
export const isDenied = ({ status }: Unavailable): boolean => status === 401 || status === 403;

/** Whether the destination answered 429 (too many requests). */
export const isThrottled = ({ status }: Unavailable): boolean => status === 429;
