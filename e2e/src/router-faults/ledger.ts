import type { FanOutEvent } from './fan-out-event';

/** One attempt to deliver one event by one pipeline, as its destination sees it. */
export interface Attempt {
  readonly pipeline: string;
  readonly event: FanOutEvent;
  /** Of its arrival, by the monotonic clock. */
  readonly atMs: number;
  /** What is answered; 0: nothing. */
  readonly status: number;
  /** The `Idempotency-Key` of its request, where it carried this event alone. */
  readonly idempotencyKey: string | undefined;
}

/** The deliveries of one user's events by one pipeline. */
export interface KeyRecord {
  /** Numbers of the events in the order of their first successes. */
  readonly order: number[];
  /** How often each was delivered, and when first. */
  readonly delivered: Map<number, { times: number; firstMs: number }>;
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** What all destinations of an installation have seen. */
export class Ledger {
  /** In the order of their arrival. */
  readonly attempts: Attempt[] = [];
  /** Attempts that came under another idempotency key than an earlier one of the same event and pipeline. */
  readonly otherKeys: Attempt[] = [];
  private readonly records = new Map<string, Map<string, KeyRecord>>();
  private readonly keys = new Map<string, string>();
  private distinctCount = 0;
  private repeatedCount = 0;

  /** Different events that were delivered, each counted once for each pipeline. */
  get distinct(): number {
    return this.distinctCount;
  }

  /** Deliveries beyond the first of their event and pipeline. */
  get repeated(): number {
    return this.repeatedCount;
  }

  note(attempt: Attempt): void {
    this.attempts.push(attempt);
    this.compareKeys(attempt);
    if (!isSuccess(attempt.status)) return;
    const { order, delivered } = this.recordOf(attempt);
    const { number } = attempt.event;
    const known = delivered.get(number);
    if (known !== undefined) {
      known.times += 1;
      this.repeatedCount += 1;
      return;
    }
    delivered.set(number, { times: 1, firstMs: attempt.atMs });
    order.push(number);
    this.distinctCount += 1;
  }

  /** By `source/user`. */
  ofPipeline(pipeline: string): ReadonlyMap<string, KeyRecord> {
    return this.records.get(pipeline) ?? new Map<string, KeyRecord>();
  }

  /** Names of the pipelines of which anything was delivered. */
  get pipelines(): readonly string[] {
    return [...this.records.keys()];
  }

  private recordOf({ pipeline, event }: Attempt): KeyRecord {
    const ofPipeline = this.records.get(pipeline) ?? new Map<string, KeyRecord>();
    this.records.set(pipeline, ofPipeline);
    const key = `${String(event.source)}/${String(event.user)}`;
    const record = ofPipeline.get(key) ?? { order: [], delivered: new Map() };
    ofPipeline.set(key, record);
    return record;
  }

  private compareKeys(attempt: Attempt): void {
    const { pipeline, event, idempotencyKey } = attempt;
    if (idempotencyKey === undefined) return;
    const id = `${pipeline} ${String(event.source)}/${String(event.user)}/${String(event.number)}`;
    const known = this.keys.get(id);
    if (known === undefined) this.keys.set(id, idempotencyKey);
    else if (known !== idempotencyKey) this.otherKeys.push(attempt);
  }
}
