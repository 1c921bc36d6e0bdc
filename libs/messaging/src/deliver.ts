import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchHandler, LogRecord } from './message-log';

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

/**
 * Returns the pause before the same records are delivered again.
 *
 * @param attempt number of attempts so far, 1 or more.
 */
export const pauseMs = (attempt: number): number =>
  Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (attempt - 1));

export interface Delivery {
  readonly onBatch: BatchHandler;
  readonly onFault: (what: string, error: unknown) => void;
  /** Passed to the handler, which is waited for; ends the pause after a rejection. */
  readonly signal: AbortSignal;
}

/** Whether the handler has rejected with the signal's reason. */
const hasGivenUp = ({ aborted, reason }: AbortSignal, error: unknown): boolean =>
  aborted && error === reason;

/**
 * Delivers records until the handler succeeds or the signal is aborted.
 *
 * @returns whether the handler has succeeded.
 */
export const deliver = async (
  partition: number,
  records: readonly LogRecord[],
  { onBatch, onFault, signal }: Delivery,
): Promise<boolean> => {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      await onBatch(partition, records, signal);
      return true;
    } catch (error) {
      if (hasGivenUp(signal, error)) return false;
      onFault(`partition ${partition}: the handler of a batch has failed`, error);
      await sleep(pauseMs(attempt), undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
};
