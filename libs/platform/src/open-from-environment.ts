import {
  ConfigurationError,
  createLogger,
  PENSTOCK_RULES,
  PENSTOCK_VARIABLES,
  readConfig,
  Shutdown,
  startOpsServer,
} from '@penstock/runtime';
import { openPlatform, type Platform } from './platform';

/**
 * The platform of a service that runs in a process of its own: database and secret are given to it.
 *
 * @throws ConfigurationError naming every bad variable.
 */
export const openFromEnvironment = async (service: string): Promise<Platform> => {
  const config = readConfig(process.env, PENSTOCK_VARIABLES, PENSTOCK_RULES);
  const { DATABASE_URL: databaseUrl, PENSTOCK_SECRET: secret } = config;
  if (databaseUrl === undefined || secret === undefined)
    throw new ConfigurationError([
      'DATABASE_URL and PENSTOCK_SECRET must be set for a service in a process of its own',
    ]);
  const logger = createLogger({ ...config, service });
  const shutdown = new Shutdown({ logger });
  shutdown.listen();
  const platform = await openPlatform(config, { service, logger, shutdown, databaseUrl, secret });
  const { PENSTOCK_OPS_PORT: port, PENSTOCK_OPS_HOST: host } = config;
  const ops = await startOpsServer({ port, host, health: platform.health });
  platform.shutdown.onClose('operations server', () => ops.close());
  return platform;
};

/** Runs a service until a signal; a start that fails says why and ends the process with 1. */
export const runService = (
  service: string,
  start: (platform: Platform) => Promise<{ close(): Promise<void> }>,
): void => {
  const run = async (): Promise<void> => {
    const platform = await openFromEnvironment(service);
    const started = platform.health.addCheck('start', () => Promise.reject(new Error('starting')));
    try {
      const running = await start(platform);
      platform.shutdown.onClose(service, () => running.close());
      started();
      platform.logger.info('started');
    } catch (err) {
      platform.logger.fatal({ err }, 'could not start');
      await platform.shutdown.end(1);
    }
  };
  run().catch((error: unknown) => {
    process.stderr.write(`${service}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
};
