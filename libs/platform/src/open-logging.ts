import {
  createLogger,
  type Logger,
  openTelemetry,
  Outages,
  type PenstockConfig,
  type Telemetry,
} from '@penstock/runtime';
import { register } from 'prom-client';

/** What a process tells of itself. */
export interface Logging {
  readonly logger: Logger;
  /** Absent where the configuration names no endpoint for it. */
  readonly telemetry: Telemetry | undefined;
}

/** Opens telemetry, if it is configured, and the log, whose lines it exports and which tells of its faults. */
export const openLogging = async (service: string, config: PenstockConfig): Promise<Logging> => {
  // The log takes its lines to telemetry, whose faults it reports: one of the two is there first.
  const reports: { outages?: Outages } = {};
  const telemetry = await openTelemetry(config, {
    service,
    registry: register,
    onFault: (fault) => reports.outages?.report(fault),
  });
  const logger = createLogger({ ...config, service }, process.stdout, telemetry?.takeLine);
  reports.outages = new Outages(logger);
  return { logger, telemetry };
};
