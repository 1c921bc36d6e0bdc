import type { Accepted } from './fan-out-sender';
import type { Ledger } from './ledger';

/** How long an event waited for its first success. */
export interface Wait {
  readonly waitMs: number;
  /** Of its acceptance, by the monotonic clock. */
  readonly acceptedMs: number;
}

/**
 * How long a pipeline let the events wait that it has delivered, from their acceptance on; the longest first. Where
 * events come in all the time, no part of the log was silent for longer than the longest.
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

/** Milliseconds of the longest, 0 of none. */
export const longestWaitMs = (
  ledger: Ledger,
  accepted: readonly Accepted[],
  pipeline: string,
): number => Math.round(waits(ledger, accepted, pipeline)[0]?.waitMs ?? 0);
