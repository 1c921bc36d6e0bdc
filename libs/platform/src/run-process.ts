import {
  type Logger,
  type PenstockConfig,
  Shutdown,
  type Tracing,
  watchOutput,
} from '@penstock/runtime';
import { type Connections, explainFailedStart } from './explain-failed-start';
import { openLogging } from './open-logging';

/** A process that is being started. */
export interface StartingProcess {
  /** On every line of its log. */
  readonly service: string;
  readonly logger: Logger;
  /** Absent where telemetry is off. */
  readonly tracing: Tracing | undefined;
  /** What a start opens is closed by it, last opened first. */
  readonly shutdown: Shutdown;
}

/** @returns whether the failure is explained: then nothing else need be printed. */
const explain = (service: string, error: unknown, connections?: Connections): boolean => {
  const line = explainFailedStart(error, connections);
  if (line !== undefined) process.stderr.write(`${service} could not start: ${line}\n`);
  return line !== undefined;
};

const read = <Settings>(service: string, readSettings: () => Settings): Settings => {
  try {
    return readSettings();
  } catch (error) {
    if (!explain(service, error)) throw error;
    process.exit(1);
  }
};

/**
 * Runs a process until a signal, or until nobody reads its output any more. A start that fails ends it with 1: with one
 * line on standard error when the operator can remove the cause, else with the error in the log.
 *
 * @param readSettings reads and checks its variables. @throws ConfigurationError
 */
export const runProcess = async <Settings extends PenstockConfig>(
  service: string,
  readSettings: () => Settings,
  start: (settings: Settings, starting: StartingProcess) => Promise<void>,
): Promise<void> => {
  const settings = read(service, readSettings);
  const { logger, telemetry } = await openLogging(service, settings);
  const deadlineMs = settings.PENSTOCK_SHUTDOWN_SECONDS * 1_000;
  const shutdown = new Shutdown({ logger, deadlineMs });
  if (telemetry !== undefined) shutdown.onClose('telemetry', () => telemetry.close());
  shutdown.listen();
  watchOutput(() => void shutdown.end(1));
  try {
    await start(settings, { service, logger, tracing: telemetry?.tracing, shutdown });
  } catch (err) {
    // A start that a signal interrupts fails, since what it stands on is being closed.
    if (shutdown.isEnding) return;
    if (!explain(service, err, settings))
      logger.fatal(
        { err },
        'could not start, for a reason that is no fault of the configuration that Penstock knows: see the error',
      );
    await shutdown.end(1);
  }
};
