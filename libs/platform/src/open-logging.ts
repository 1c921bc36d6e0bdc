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
  let outages: Outages | undefined;
  const telemetry = await openTelemetry(config, {
    service,
    registry: register,
    onFault: (fault) => outages?.report(fault),
  });
  const logger = createLogger({ ...config, service }, process.stdout, telemetry?.takeLine);
  outages = new Outages(logger);
  return { logger, telemetry };
};
