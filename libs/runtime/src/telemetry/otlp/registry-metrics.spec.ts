import { DataPointType } from '@opentelemetry/sdk-metrics';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { RegistryMetrics } from './registry-metrics';

const collected = async (registry: Registry) => {
  const { resourceMetrics, errors } = await new RegistryMetrics(registry).collect();
  expect(errors).toEqual([]);
  return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
};

it('gives counters and gauges with their names, helps and labels', async () => {
  const registry = new Registry();
  const registers = [registry];
  const counter = new Counter({ name: 'c_total', help: 'Counted', labelNames: ['a'], registers });
  counter.inc({ a: 'x' }, 2);
  counter.inc({ a: 'y' });
  new Gauge({
    name: 'g',
    help: 'Now',
    registers,
    collect() {
      this.set(-1.5);
    },
  });
  const [sum, gauge] = await collected(registry);
  expect(sum).toMatchObject({
    descriptor: { name: 'c_total', description: 'Counted' },
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: [
      { attributes: { a: 'x' }, value: 2 },
      { attributes: { a: 'y' }, value: 1 },
    ],
  });
  expect(gauge).toMatchObject({
    descriptor: { name: 'g' },
    dataPointType: DataPointType.GAUGE,
    dataPoints: [{ attributes: {}, value: -1.5 }],
  });
});

it('gives histograms with the counts within each bucket, by their labels', async () => {
  const registry = new Registry();
  const histogram = new Histogram({
    name: 'h_seconds',
    help: 'Times',
    labelNames: ['a'],
    buckets: [1, 5],
    registers: [registry],
  });
  for (const value of [0.5, 1, 3, 7, 8, 9]) histogram.observe({ a: 'x' }, value);
  histogram.observe({ a: 'y' }, 2);
  const [metric] = await collected(registry);
  expect(metric).toMatchObject({
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: [
      {
        attributes: { a: 'x' },
        value: { buckets: { boundaries: [1, 5], counts: [2, 1, 3] }, sum: 28.5, count: 6 },
      },
      {
        attributes: { a: 'y' },
        value: { buckets: { boundaries: [1, 5], counts: [0, 1, 0] }, sum: 2, count: 1 },
      },
    ],
  });
});

it('leaves out summaries, and metrics that have no value yet', async () => {
  const registry = new Registry();
  const registers = [registry];
  new Summary({ name: 's', help: 'Quantiles', registers }).observe(1);
  new Counter({ name: 'none_total', help: 'Nothing', labelNames: ['a'], registers });
  expect(await collected(registry)).toEqual([]);
});
