import type { Accepted } from './fan-out-sender';
import type { Ledger } from './ledger';

/** The time from the acceptance of an event to its first delivery. */
export interface Wait {
  readonly waitMs: number;
  /** Time of its acceptance, by the monotonic clock. */
  readonly acceptedMs: number;
}

/**
 * The waits of the events that a pipeline has delivered, the longest first. Under constant load, no partition was
 * without deliveries for longer than the longest wait.
 */
export const waits = (ledger: Ledger, accepted: readonly Accepted[], pipeline: string): Wait[] => {
  const records = ledger.ofPipeline(pipeline);
  return accepted
    .flatMap(({ event: { source, user, number }, atMs }) => {
      const found = records.get(`${String(source)}/${String(user)}`)?.delivered.get(number);
      return found === undefined ? [] : [{ waitMs: found.firstMs - atMs, acceptedMs: atMs }];
    })
    .sort((one, other) => other.waitMs - one.waitMs);
};

/** The longest wait in milliseconds; 0 when there is none. */
export const longestWaitMs = (
  ledger: Ledger,
  accepted: readonly Accepted[],
  pipeline: string,
): number => Math.round(waits(ledger, accepted, pipeline)[0]?.waitMs ?? 0);
