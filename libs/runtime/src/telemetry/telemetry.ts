import type { Registry } from 'prom-client';
import type { PenstockConfig } from '../config/penstock-variables';
import type { Fault } from '../logging/outages';
import type { Tracing } from './tracing';

/** The variables that telemetry is configured by. */
export type TelemetryConfig = Pick<
  PenstockConfig,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_HEADERS'
  | 'OTEL_SDK_DISABLED'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_RESOURCE_ATTRIBUTES'
  | 'OTEL_TRACES_SAMPLER'
  | 'OTEL_TRACES_SAMPLER_ARG'
>;

/** Whom telemetry describes, and where it gets metrics from. */
export interface TelemetryOptions {
  /** Name of the service, unless the configuration names another. */
  readonly service: string;
  /** Its metrics are exported; those of telemetry itself are registered in it. */
  readonly registry: Registry;
  /** Is told of exports that fail. */
  readonly onFault: (fault: Fault) => void;
}

/** Exports traces, metrics and logs by OTLP over HTTP. Nothing of it waits for the receiver. */
export interface Telemetry {
  readonly tracing: Tracing;
  /** Exports a line of the log, given as JSON. */
  readonly takeLine: (line: string) => void;
  /** Exports what is waiting, for at most two seconds. */
  close(): Promise<void>;
}
