import type { PipelineId } from '@penstock/contracts';
import { type DeliveryTimes, timesKey } from '../store/changes';
import { bucketOf } from '../store/latency-buckets';

/** The times of one pipeline within a minute. */
interface Cell {
  retries: number;
  readonly latencies: Map<number, number>;
}

/** An ended delivery, as far as it took time. */
export interface TimedEnding {
  readonly pipeline: PipelineId;
  /** Requests that were sent for it. */
  readonly attempts: number;
  /** When it ended, in milliseconds since 1970. */
  readonly atMs: number;
  /** Milliseconds from receipt to delivery; undefined: it was not delivered. */
  readonly tookMs: number | undefined;
}

/** Length of the periods by which times are grouped. */
const MINUTE_MS = 60_000;

/** Counts latencies and retries by pipeline and minute. A name is built once per minute, not at each addition. */
export class TimesTally {
  private readonly cells = new Map<string, Cell>();
  private current = new Map<PipelineId, Cell>();
  private minute = NaN;

  /** A delivery that was neither made nor retried adds nothing. */
  add({ pipeline, attempts, atMs, tookMs }: TimedEnding): void {
    const retries = Math.max(0, attempts - 1);
    if (retries === 0 && tookMs === undefined) return;
    const cell = this.cell(pipeline, atMs);
    cell.retries += retries;
    if (tookMs === undefined) return;
    const bucket = bucketOf(tookMs);
    cell.latencies.set(bucket, (cell.latencies.get(bucket) ?? 0) + 1);
  }

  /** {@link timesKey} → times. */
  get written(): ReadonlyMap<string, DeliveryTimes> {
    return this.cells;
  }

  private cell(pipeline: PipelineId, atMs: number): Cell {
    const minute = Math.floor(atMs / MINUTE_MS);
    if (minute !== this.minute) {
      this.minute = minute;
      this.current = new Map();
    }
    const known = this.current.get(pipeline);
    if (known !== undefined) return known;
    const key = timesKey(pipeline, atMs);
    const cell = this.cells.get(key) ?? { retries: 0, latencies: new Map() };
    this.cells.set(key, cell);
    this.current.set(pipeline, cell);
    return cell;
  }
}
