import type { Telemetry, TelemetryConfig, TelemetryOptions } from './telemetry/telemetry';

/**
 * Opens telemetry when the configuration names an endpoint, and loads the SDK only then.
 *
 * @returns undefined without an endpoint, or when the SDK is disabled.
 */
export const openTelemetry = async (
  config: TelemetryConfig,
  options: TelemetryOptions,
): Promise<Telemetry | undefined> => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: disabled } = config;
  if (endpoint === undefined || disabled === 'true') return undefined;
  const { openOtlp } = await import('./telemetry/otlp/open-otlp');
  return openOtlp({ ...config, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, options);
};
