import {
  type Config,
  ConfigurationError,
  createLogger,
  PENSTOCK_RULES,
  PENSTOCK_VARIABLES,
  type PenstockConfig,
  readConfig,
  Shutdown,
  startOpsServer,
  type Variables,
} from '@penstock/runtime';
import { openPlatform, type Platform } from './platform';

/**
 * The platform of a service that runs in a process of its own: database and secret are given to it.
 *
 * @param own variables of this service alone; read and checked with those that all have in common.
 * @throws ConfigurationError naming every bad variable.
 */
export const openFromEnvironment = async <Own extends Variables>(
  service: string,
  own: Own,
): Promise<{ readonly platform: Platform; readonly settings: Config<Own> }> => {
  const variables = { ...own, ...PENSTOCK_VARIABLES };
  const config = readConfig(process.env, variables, PENSTOCK_RULES) as PenstockConfig & Config<Own>;
  const { DATABASE_URL: databaseUrl, PENSTOCK_SECRET: secret } = config;
  if (databaseUrl === undefined || secret === undefined)
    throw new ConfigurationError([
      'DATABASE_URL and PENSTOCK_SECRET must be set for a service in a process of its own',
    ]);
  const logger = createLogger({ ...config, service });
  const shutdown = new Shutdown({
    logger,
    deadlineMs: config.PENSTOCK_SHUTDOWN_SECONDS * 1_000,
  });
  shutdown.listen();
  const platform = await openPlatform(config, { service, logger, shutdown, databaseUrl, secret });
  const { PENSTOCK_OPS_PORT: port, PENSTOCK_OPS_HOST: host } = config;
  const ops = await startOpsServer({ port, host, health: platform.health });
  platform.shutdown.onClose('operations server', () => ops.close());
  return { platform, settings: config };
};

/** Runs a service until a signal; a start that fails logs why and ends the process with 1. */
export const runService = <Own extends Variables>(
  service: string,
  own: Own,
  start: (platform: Platform, settings: Config<Own>) => Promise<{ close(): Promise<void> }>,
): void => {
  const run = async (): Promise<void> => {
    const { platform, settings } = await openFromEnvironment(service, own);
    const started = platform.health.addCheck('start', () => Promise.reject(new Error('starting')));
    try {
      const running = await start(platform, settings);
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
