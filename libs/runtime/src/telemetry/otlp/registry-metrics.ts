import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Registry } from 'prom-client';

/** A value of a metric, as prom-client gives it. */
interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: the name with `_bucket`, `_sum` or `_count`. */
  readonly metricName?: string;
}

/** A metric, as prom-client gives it; its types say otherwise. */
interface Instrument {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly Sample[];
}

interface Period {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

const numberPoints = (samples: readonly Sample[], period: Period): DataPoint<number>[] =>
  samples.map(({ value, labels }) => ({ ...period, attributes: { ...labels }, value }));

/** Cumulative counts up to each boundary → counts within each. */
const within = (cumulative: readonly number[]): number[] =>
  cumulative.map((count, index) => count - (cumulative[index - 1] ?? 0));

const histogramOf = (name: string, samples: readonly Sample[]): Histogram => {
  const of = (suffix: string) =>
    samples.filter(({ metricName }) => metricName === `${name}_${suffix}`);
  const buckets = of('bucket');
  const boundaries = buckets.flatMap(({ labels: { le } }) =>
    typeof le === 'number' && Number.isFinite(le) ? [le] : [],
  );
  const counts = within(buckets.map(({ value }) => value));
  const [[sum], [count]] = [of('sum'), of('count')];
  return { buckets: { boundaries, counts }, sum: sum?.value ?? 0, count: count?.value ?? 0 };
};

const histogramPoints = ({ name, values }: Instrument, period: Period): DataPoint<Histogram>[] => {
  const byLabels = new Map<string, Sample[]>();
  for (const sample of values) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    byLabels.set(key, [...(byLabels.get(key) ?? []), sample]);
  }
  return [...byLabels].map(([key, samples]) => ({
    ...period,
    attributes: JSON.parse(key) as Record<string, string | number>,
    value: histogramOf(name, samples),
  }));
};

/** @returns nothing for a summary, whose quantiles have no form in OTLP that a receiver could add up. */
const metricData = (instrument: Instrument, period: Period): MetricData[] => {
  const { name, help, type, values } = instrument;
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE };
  const base = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  switch (type) {
    case 'counter':
      return [
        {
          ...base,
          dataPointType: DataPointType.SUM,
          isMonotonic: true,
          dataPoints: numberPoints(values, period),
        },
      ];
    case 'gauge':
      return [
        { ...base, dataPointType: DataPointType.GAUGE, dataPoints: numberPoints(values, period) },
      ];
    case 'histogram':
      return [
        {
          ...base,
          dataPointType: DataPointType.HISTOGRAM,
          dataPoints: histogramPoints(instrument, period),
        },
      ];
    default:
      return [];
  }
};

/** The metrics of a registry of Prometheus under the same names and labels, read when they are exported. */
export class RegistryMetrics implements MetricProducer {
  private readonly startTime = millisToHrTime(performance.timeOrigin);

  constructor(private readonly registry: Pick<Registry, 'getMetricsAsJSON'>) {}

  async collect(): Promise<CollectionResult> {
    const instruments: unknown = await this.registry.getMetricsAsJSON();
    const period = { startTime: this.startTime, endTime: millisToHrTime(Date.now()) };
    const metrics = (instruments as readonly Instrument[])
      .flatMap((each) => metricData(each, period))
      .filter(({ dataPoints }) => dataPoints.length > 0);
    const scopeMetrics = [{ scope: { name: 'penstock' }, metrics }];
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
  }
}
