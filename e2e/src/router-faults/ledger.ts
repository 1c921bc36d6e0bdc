import type { FanOutEvent } from './fan-out-event';

/** One attempt to deliver one event of one pipeline, as its destination received it. */
export interface Attempt {
  readonly pipeline: string;
  readonly event: FanOutEvent;
  /** Time of its arrival, by the monotonic clock. */
  readonly atMs: number;
  /** Status of the answer; 0: none. */
  readonly status: number;
  /** The `Idempotency-Key` of its request, if it contained this event alone. */
  readonly idempotencyKey: string | undefined;
}

/** The deliveries of one user's events by one pipeline. */
export interface KeyRecord {
  /** Numbers of the events in the order of their first successes. */
  readonly order: number[];
  /** By number: how often it was delivered, and when first. */
  readonly delivered: Map<number, { times: number; firstMs: number }>;
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** Records the attempts at all destinations of an installation. */
export class Ledger {
  /** In order of arrival. */
  readonly attempts: Attempt[] = [];
  /** Attempts with another idempotency key than an earlier attempt of the same event and pipeline. */
  readonly otherKeys: Attempt[] = [];
  private readonly records = new Map<string, Map<string, KeyRecord>>();
  private readonly keys = new Map<string, string>();
  private distinctCount = 0;
  private repeatedCount = 0;

  /** Number of delivered events, each counted once per pipeline. */
  get distinct(): number {
    return this.distinctCount;
  }

  /** Number of repeated deliveries. */
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

  /** The records of a pipeline, by `source/user`. */
  ofPipeline(pipeline: string): ReadonlyMap<string, KeyRecord> {
    return this.records.get(pipeline) ?? new Map<string, KeyRecord>();
  }

  /** Names of the pipelines with deliveries. */
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
