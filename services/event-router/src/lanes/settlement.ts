import type { Outcome } from '@penstock/connectors';
import type { RouterOptions } from '../router.options';
import type { Ending } from '../store/changes';
import { backoffMs } from './backoff';
import type { Delivery } from './delivery';
import { DELIVERED, end } from './ending';
import type { FunctionResults } from './function-results';
import type { KeyQueue } from './key-queue';
import type { StoredRows } from './stored-rows';

type Unavailable = Extract<Outcome, { kind: 'unavailable' }>;

const endingOf = (outcome: Exclude<Outcome, Unavailable>): Ending => {
  if (outcome.kind === 'delivered') return DELIVERED;
  const code = outcome.status === undefined ? 'Refused' : String(outcome.status);
  return { state: 'Rejected', step: 'Finalize', code, reason: outcome.reason };
};

/** What becomes of the deliveries of a key: each ends, or goes on waiting at the head of its key. */
export class Settlement {
  constructor(
    private readonly rows: StoredRows,
    private readonly results: FunctionResults,
    private readonly options: RouterOptions,
  ) {}

  end(key: KeyQueue, delivery: Delivery, ending: Ending, nowMs = Date.now()): void {
    end(delivery, ending, nowMs);
    if (delivery.ticket !== null) return;
    key.endRow();
    this.rows.add(key.partition, -1);
  }

  park(key: KeyQueue, delivery: Delivery, code: 'Deleted' | 'RetryBudgetSpent'): void {
    const { reason } = delivery;
    this.end(key, delivery, { state: 'Parked', step: 'Finalize', code, reason });
  }

  /**
   * What an answer means for the deliveries of one key; those without an outcome were not in the request.
   *
   * @returns when those that did not end may be tried again, in milliseconds since 1970; undefined: at once.
   */
  settle(
    key: KeyQueue,
    deliveries: readonly Delivery[],
    outcomes: readonly Outcome[],
  ): number | undefined {
    const nowMs = Date.now();
    const kept: Delivery[] = [];
    let retryAfterMs = 0;
    deliveries.forEach((delivery, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined) kept.push(delivery);
      else if (outcome.kind !== 'unavailable') this.end(key, delivery, endingOf(outcome), nowMs);
      else if (this.isTriedAgain(key, delivery, outcome, nowMs)) {
        kept.push(delivery);
        retryAfterMs = Math.max(retryAfterMs, outcome.retryAfterMs ?? 0);
      }
    });
    key.putBack(kept);
    if (kept.length === 0 || outcomes.every(({ kind }) => kind !== 'unavailable')) return undefined;
    return this.postpone(key, kept, nowMs, retryAfterMs);
  }

  /** Notes the failed attempt; false when it was the last one. */
  private isTriedAgain(
    key: KeyQueue,
    delivery: Delivery,
    { reason }: Unavailable,
    nowMs: number,
  ): boolean {
    delivery.attempts += 1;
    delivery.reason = reason;
    if (delivery.firstAttemptMs === 0) delivery.firstAttemptMs = nowMs;
    if (nowMs - delivery.firstAttemptMs < this.options.retryBudgetMs) return true;
    this.park(key, delivery, 'RetryBudgetSpent');
    return false;
  }

  private postpone(
    key: KeyQueue,
    failed: readonly Delivery[],
    nowMs: number,
    retryAfterMs: number,
  ): number {
    const attempts = Math.max(...failed.map((each) => each.attempts));
    const dueMs = nowMs + Math.max(retryAfterMs, backoffMs(attempts, this.options));
    for (const delivery of failed) {
      this.results.relieve(delivery);
      if (delivery.ticket === null && delivery.attempts > 0)
        key.partition.postpone({
          offset: delivery.offset,
          pipeline: delivery.pipeline.state.id,
          attempts: delivery.attempts,
          firstAttemptMs: delivery.firstAttemptMs,
          dueMs,
          reason: delivery.reason,
        });
    }
    return dueMs;
  }
}
