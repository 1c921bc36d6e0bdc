import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { Counter } from 'prom-client';
import type { Telemetry, TelemetryConfig, TelemetryOptions } from '../telemetry';
import type { BacklogEvents } from './backlog';
import { exportLogRecords } from './export-log-records';
import { exportSpans } from './export-spans';
import { OtlpTracing } from './otlp-tracing';
import { RegistryMetrics } from './registry-metrics';
import { samplerOf } from './sampler-of';
import { takeLine } from './take-line';

const SCOPE = 'penstock';
const METRICS_EVERY_MS = 60_000;
/** Time limit for exporting what is waiting when the process ends. */
const CLOSE_MS = 2_000;

const SIGNALS = ['traces', 'metrics', 'logs'] as const;

type Signal = (typeof SIGNALS)[number];

/** The configuration, with an endpoint. */
export type OtlpConfig = TelemetryConfig & { readonly OTEL_EXPORTER_OTLP_ENDPOINT: string };

const resourceOf = (config: OtlpConfig, service: string): Resource =>
  resourceFromAttributes({
    'service.namespace': 'penstock',
    'service.name': service,
    'service.instance.id': randomUUID(),
    ...config.OTEL_RESOURCE_ATTRIBUTES,
    ...(config.OTEL_SERVICE_NAME !== undefined && { 'service.name': config.OTEL_SERVICE_NAME }),
  });

/** The receiver's address for one signal, and what is sent with each request. */
const targetOf = (config: OtlpConfig, signal: Signal) => ({
  url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/${signal}`,
  headers: { ...config.OTEL_EXPORTER_OTLP_HEADERS },
});

/** An export that has failed: without the receiver's answer, which might repeat what was sent. */
class ExportFailed extends Error {
  override readonly name = 'ExportFailed';
}

/** The code of a failed connection, or the status of the receiver's answer, if there is one. */
const reasonOf = (error: Error): string => {
  const { code } = error as { readonly code?: string | number };
  return code === undefined ? error.message : String(code);
};

const FAULT =
  'traces, metrics or logs cannot be exported to OTEL_EXPORTER_OTLP_ENDPOINT: those of this time are dropped and counted, nothing else is affected';

/** What a signal that is dropped leaves behind: a count, and one line for an outage. */
const eventsOf = ({ registry, onFault }: TelemetryOptions) => {
  const dropped = new Counter({
    name: 'penstock_telemetry_dropped_total',
    help: 'Spans and log records that were not exported, and exports of metrics that failed',
    labelNames: ['signal'],
    registers: [registry],
  });
  for (const signal of SIGNALS) dropped.inc({ signal }, 0);
  return (signal: Signal): BacklogEvents => ({
    onDropped: (count) => {
      dropped.inc({ signal }, count);
    },
    onFailed: (error) => {
      onFault({ what: FAULT, err: new ExportFailed(reasonOf(error)), level: 'warn' });
    },
  });
};

const openMetrics = (
  config: OtlpConfig,
  { registry }: TelemetryOptions,
  resource: Resource,
  events: BacklogEvents,
): MeterProvider => {
  const exporter = new OTLPMetricExporter(targetOf(config, 'metrics'));
  const reader = new PeriodicExportingMetricReader({
    exporter: {
      export: (metrics, onResult) => {
        exporter.export(metrics, (result) => {
          if (result.error !== undefined) {
            events.onDropped(1);
            events.onFailed(result.error);
          }
          onResult(result);
        });
      },
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
    exportIntervalMillis: METRICS_EVERY_MS,
    metricProducers: [new RegistryMetrics(registry)],
  });
  return new MeterProvider({ resource, readers: [reader] });
};

/** Opens the export of all three signals. */
export const openOtlp = (config: OtlpConfig, options: TelemetryOptions): Telemetry => {
  const resource = resourceOf(config, options.service);
  const events = eventsOf(options);
  const spans = new TracerProvider({
    resource,
    sampler: samplerOf(config),
    spanProcessors: [
      exportSpans(new OTLPTraceExporter(targetOf(config, 'traces')), events('traces')),
    ],
  });
  const records = new LoggerProvider({
    resource,
    processors: [exportLogRecords(new OTLPLogExporter(targetOf(config, 'logs')), events('logs'))],
  });
  const metrics = openMetrics(config, options, resource, events('metrics'));
  return {
    tracing: new OtlpTracing(spans.getTracer(SCOPE)),
    takeLine: takeLine(records.getLogger(SCOPE)),
    close: async () => {
      const all = [spans, records, metrics].map((each) => each.shutdown());
      await Promise.race([Promise.allSettled(all), sleep(CLOSE_MS, undefined, { ref: false })]);
    },
  };
};
