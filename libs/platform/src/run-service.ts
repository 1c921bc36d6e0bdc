import {
  type Config,
  ConfigurationError,
  type ConfiguredPort,
  holdPort,
  type PenstockConfig,
  readPenstockConfig,
  startOpsServer,
  type Variables,
} from '@penstock/runtime';
import { openPlatform, type Platform } from './platform';
import { runProcess, type StartingProcess } from './run-process';

const ownDatabase = ({ DATABASE_URL, PENSTOCK_SECRET }: PenstockConfig) => {
  if (DATABASE_URL === undefined || PENSTOCK_SECRET === undefined)
    throw new ConfigurationError([
      'DATABASE_URL and PENSTOCK_SECRET must be set for a service in a process of its own',
    ]);
  return { databaseUrl: DATABASE_URL, secret: PENSTOCK_SECRET };
};

/** Takes a port until it is released, or the process ends. */
const hold = async (
  configured: ConfiguredPort,
  { shutdown }: StartingProcess,
): Promise<() => Promise<void>> => {
  const release = await holdPort(configured);
  shutdown.onClose(`port of ${configured.variable}`, release);
  return release;
};

/** Opens the platform and the operations server, whose port is taken before anything is created. */
const open = async (config: PenstockConfig, starting: StartingProcess): Promise<Platform> => {
  const { PENSTOCK_OPS_PORT: port, PENSTOCK_OPS_HOST: host } = config;
  const release = await hold({ port, host, variable: 'PENSTOCK_OPS_PORT' }, starting);
  const platform = await openPlatform(config, { ...starting, ...ownDatabase(config) });
  await release();
  const ops = await startOpsServer({ port, host, health: platform.health });
  starting.shutdown.onClose('operations server', () => ops.close());
  return platform;
};

/**
 * Runs a service that has a process of its own, see {@link runProcess}: database and secret are given to it.
 *
 * @param own variables of this service alone; read and checked with those that all have in common.
 * @param portOf the port on which the service listens, if it does: taken before anything is created, and released for
 *   it.
 */
export const runService = <Own extends Variables>(
  service: string,
  own: Own,
  start: (platform: Platform, settings: Config<Own>) => Promise<{ close(): Promise<void> }>,
  portOf?: (config: PenstockConfig) => ConfiguredPort,
): Promise<void> => {
  const read = (): PenstockConfig & Config<Own> => {
    const config = readPenstockConfig(process.env, own);
    ownDatabase(config);
    return config;
  };
  return runProcess(service, read, async (config, starting) => {
    const releasePort = portOf && (await hold(portOf(config), starting));
    const platform = await open(config, starting);
    const started = platform.health.addCheck('start', () => Promise.reject(new Error('starting')));
    await releasePort?.();
    const running = await start(platform, config);
    platform.shutdown.onClose(service, () => running.close());
    started();
    platform.logger.info('started');
  });
};
