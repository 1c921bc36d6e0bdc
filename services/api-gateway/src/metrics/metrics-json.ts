import {
  type LatencyView,
  type MetricsPeriod,
  type PipelineMetrics,
  type PipelineNumbers,
  type PipelinePoint,
  PIPELINE_STEPS,
  type SourceMetrics,
  type SourceNumbers,
  type SourcePoint,
  STEP_SIZES,
} from '@penstock/contracts';
import { type Json, JsonNumber, type JsonObject } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';

const NOTHING: PipelineNumbers = {
  accepted: 0,
  opened: 0,
  passed: PIPELINE_STEPS.map(() => 0),
  failed: PIPELINE_STEPS.map(() => 0),
  endings: [],
  retries: 0,
  latency: null,
};

const NO_EVENTS: SourceNumbers = { accepted: 0, duplicates: 0, differentBodies: 0, suppressed: 0 };

const latencyJson = ({ p50, p95, p99 }: LatencyView): JsonObject =>
  jsonObject<keyof LatencyView>({
    p50: new JsonNumber(String(p50)),
    p95: new JsonNumber(String(p95)),
    p99: new JsonNumber(String(p99)),
  });

const numbersJson = (numbers: PipelineNumbers): Record<keyof PipelineNumbers, Json> => ({
  accepted: jsonInteger(numbers.accepted),
  opened: jsonInteger(numbers.opened),
  passed: numbers.passed.map(jsonInteger),
  failed: numbers.failed.map(jsonInteger),
  endings: numbers.endings.map(({ count, ...ending }) =>
    jsonObject({ ...ending, count: jsonInteger(count) }),
  ),
  retries: jsonInteger(numbers.retries),
  latency: numbers.latency && latencyJson(numbers.latency),
});

const sourceJson = (numbers: SourceNumbers): Record<keyof SourceNumbers, Json> => ({
  accepted: jsonInteger(numbers.accepted),
  duplicates: jsonInteger(numbers.duplicates),
  differentBodies: jsonInteger(numbers.differentBodies),
  suppressed: jsonInteger(numbers.suppressed),
});

/** All steps of the period, those in which nothing has happened included. */
const everyPoint = <Numbers>(
  { from, to, stepSize }: MetricsPeriod,
  points: readonly (Numbers & { readonly at: string })[],
  nothing: Numbers,
): readonly { readonly at: string; readonly numbers: Numbers }[] => {
  const known = new Map(points.map((point) => [Date.parse(point.at), point]));
  const { ms } = STEP_SIZES[stepSize];
  const begin = Date.parse(from);
  return Array.from({ length: (Date.parse(to) - begin) / ms }, (_, index) => {
    const atMs = begin + index * ms;
    return { at: new Date(atMs).toISOString(), numbers: known.get(atMs) ?? nothing };
  });
};

/** The answer about a pipeline or a destination. */
export const pipelineMetricsJson = (
  period: MetricsPeriod,
  { total, points, lag }: PipelineMetrics,
): JsonObject =>
  jsonObject<keyof MetricsPeriod | keyof PipelineMetrics>({
    ...period,
    total: jsonObject(numbersJson(total)),
    points: everyPoint(period, points, NOTHING).map(({ at, numbers }) =>
      jsonObject<keyof PipelinePoint>({ at, ...numbersJson(numbers) }),
    ),
    lag: jsonInteger(lag),
  });

/** The answer about a source. */
export const sourceMetricsJson = (
  period: MetricsPeriod,
  { total, points }: SourceMetrics,
): JsonObject =>
  jsonObject<keyof MetricsPeriod | keyof SourceMetrics>({
    ...period,
    total: jsonObject(sourceJson(total)),
    points: everyPoint(period, points, NO_EVENTS).map(({ at, numbers }) =>
      jsonObject<keyof SourcePoint>({ at, ...sourceJson(numbers) }),
    ),
  });
