import type { PenstockConfig } from '@penstock/runtime';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MIB = 1024 * 1024;

/** What the operator has set about deliveries; the same in every process of an installation, but for memory. */
export interface DeliverySettings {
  /** Milliseconds for which accepted events stay on the log: at least two days. */
  readonly eventsRetentionMs: number;
  /**
   * Milliseconds since its receipt in which an event is tried again, unless its connection sets another; shorter than
   * {@link eventsRetentionMs} by a day or more.
   */
  readonly maxAgeMs: number;
  /** Milliseconds for which dead letters and parked events are kept. */
  readonly deadLettersMs: number;
  /** Milliseconds for which the ids of messages are remembered. */
  readonly duplicateWindowMs: number;
  /** Bytes of events, stored rows and results of functions that a router may have in memory. */
  readonly routerMemoryBytes: number;
  /** Where to begin on a log that is not the one of before; absent: such a log is refused. */
  readonly eventsFrom?: 'earliest' | 'latest';
}

/** Taken from the variables of the process. */
export const deliverySettings = ({
  PENSTOCK_EVENTS_RETENTION,
  PENSTOCK_EVENTS_FROM,
  PENSTOCK_RETRY_HOURS,
  PENSTOCK_DEAD_LETTER_DAYS,
  PENSTOCK_DUPLICATE_WINDOW_HOURS,
  PENSTOCK_ROUTER_MEMORY_MIB,
}: Pick<
  PenstockConfig,
  | 'PENSTOCK_EVENTS_RETENTION'
  | 'PENSTOCK_EVENTS_FROM'
  | 'PENSTOCK_RETRY_HOURS'
  | 'PENSTOCK_DEAD_LETTER_DAYS'
  | 'PENSTOCK_DUPLICATE_WINDOW_HOURS'
  | 'PENSTOCK_ROUTER_MEMORY_MIB'
>): DeliverySettings => ({
  eventsRetentionMs: PENSTOCK_EVENTS_RETENTION,
  maxAgeMs: PENSTOCK_RETRY_HOURS * HOUR_MS,
  deadLettersMs: PENSTOCK_DEAD_LETTER_DAYS * DAY_MS,
  duplicateWindowMs: PENSTOCK_DUPLICATE_WINDOW_HOURS * HOUR_MS,
  routerMemoryBytes: PENSTOCK_ROUTER_MEMORY_MIB * MIB,
  ...(PENSTOCK_EVENTS_FROM !== undefined && { eventsFrom: PENSTOCK_EVENTS_FROM }),
});
