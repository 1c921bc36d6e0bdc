import {
  END_STATES,
  type Instant,
  type LatencyView,
  type MetricsPeriod,
  type PipelineMetrics,
  type PipelineNumbers,
  STEP_SIZES,
} from '@penstock/contracts';
import { percentile } from '../store/latency-buckets';
import { CountedEvents, type CountedRow } from './counted-events';
import { stepsOf } from './steps-of';

/** A row of a step of time. @param at its number since 1970. */
type OfStep<Row> = Row & { readonly at: number };

/** What was counted in a period, in rows of steps of time. */
export interface CountedPeriod {
  readonly events: readonly OfStep<CountedRow>[];
  readonly retries: readonly OfStep<{ readonly retries: number }>[];
  readonly latencies: readonly OfStep<{
    readonly buckets: readonly number[];
    readonly counts: readonly number[];
  }>[];
}

/** Digits of a latency: more would only show the error of the buckets. */
const DIGITS = 4;

/** Counts of one step of time, or of several. */
class Gathered {
  readonly events = new CountedEvents();
  retries = 0;
  private readonly latencies = new Map<number, number>();

  addLatencies(buckets: readonly number[], counts: readonly number[]): void {
    buckets.forEach((bucket, index) => {
      this.latencies.set(bucket, (this.latencies.get(bucket) ?? 0) + (counts[index] ?? 0));
    });
  }

  get numbers(): PipelineNumbers {
    const { events, retries } = this;
    const { accepted, opened } = events;
    const endings = END_STATES.flatMap((state) => this.endingsOf(state));
    return { accepted, opened, ...stepsOf(events), endings, retries, latency: this.latency };
  }

  /** By code; what ended at several steps with one code is one number. */
  private endingsOf(state: (typeof END_STATES)[number]): PipelineNumbers['endings'] {
    const byCode = new Map<string, number>();
    for (const ended of this.events.endings)
      if (ended.state === state)
        byCode.set(ended.code, (byCode.get(ended.code) ?? 0) + ended.count);
    return [...byCode]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, count]) => ({ state, code, count }));
  }

  private get latency(): LatencyView | null {
    const at = (share: number): number | undefined => {
      const ms = percentile(this.latencies, share);
      return ms === undefined ? undefined : Number(ms.toPrecision(DIGITS));
    };
    const [p50, p95, p99] = [at(0.5), at(0.95), at(0.99)];
    if (p50 === undefined || p95 === undefined || p99 === undefined) return null;
    return { p50, p95, p99 };
  }
}

/** The beginning of a step of time. @param at its number since 1970. */
export const beginOf = (at: number, stepSize: MetricsPeriod['stepSize']): Instant =>
  new Date(at * STEP_SIZES[stepSize].ms).toISOString() as Instant;

/** Makes metrics of rows. */
export const pipelineMetrics = (
  { events, retries, latencies }: CountedPeriod,
  stepSize: MetricsPeriod['stepSize'],
): Omit<PipelineMetrics, 'lag'> => {
  const total = new Gathered();
  const bySteps = new Map<number, Gathered>();
  const gathered = (at: number): readonly Gathered[] => {
    const step = bySteps.get(at) ?? new Gathered();
    bySteps.set(at, step);
    return [step, total];
  };
  for (const row of events) for (const each of gathered(row.at)) each.events.add(row);
  for (const row of retries) for (const each of gathered(row.at)) each.retries += row.retries;
  for (const { at, buckets, counts } of latencies)
    for (const each of gathered(at)) each.addLatencies(buckets, counts);
  const points = [...bySteps]
    .sort(([one], [other]) => one - other)
    .map(([at, step]) => ({ at: beginOf(at, stepSize), ...step.numbers }));
  return { total: total.numbers, points };
};
