import { createApiGateway, gatewaySettings } from '@penstock/api-gateway';
import { ConfigurationReplica } from '@penstock/contracts';
import { createEventRouter } from '@penstock/event-router';
import { LogClient, type MessageLog } from '@penstock/messaging';
import { createPipelineService, pipelineServiceSettings } from '@penstock/pipeline-service';
import { ConfigurationReader, openPlatform, type Platform } from '@penstock/platform';
import { createRunExecutor } from '@penstock/run-executor';
import { createLogger, type SecretBox, Shutdown, startOpsServer } from '@penstock/runtime';
import { banner } from './banner';
import { findDemo, lacksDemo, makeDemo } from './demo';
import { type Embedded, openEmbedded } from './embedded';
import { openEmbeddedWarehouse } from './embedded-warehouse';
import type { StandaloneConfig } from './standalone-variables';

/** Reads the configuration as it is now. */
const presentReplica = async (log: MessageLog): Promise<ConfigurationReplica> => {
  const replica = new ConfigurationReplica();
  const reader = new ConfigurationReader(log, replica, () => undefined);
  await reader.start();
  const isRead = await reader.catchUp();
  await reader.stop();
  if (!isRead) throw new Error('the configuration cannot be read');
  return replica;
};

/** Makes the demo through the log, once the pipeline service reads commands. */
const makeDemoOver = async (
  log: MessageLog,
  replica: ConfigurationReplica,
  secrets: SecretBox,
): Promise<void> => {
  const client = new LogClient({ log });
  try {
    await makeDemo(client, replica, secrets);
  } finally {
    await client.close();
  }
};

/** Starts the gateway last: when it accepts a request, all other services are running. */
const startServices = async (
  platform: Platform,
  settings: StandaloneConfig,
  { isOwnDatabase }: Embedded,
): Promise<void> => {
  const { config, shutdown, log, secrets } = platform;
  const { PENSTOCK_OPS_PORT: port, PENSTOCK_OPS_HOST: host } = config;
  const started = platform.health.addCheck('start', () => Promise.reject(new Error('starting')));
  const ops = await startOpsServer({ port, host, health: platform.health });
  shutdown.onClose('operations server', () => ops.close());
  const pipelineService = await createPipelineService({
    ...platform,
    ...pipelineServiceSettings(settings),
    bootstrapKey: config.PENSTOCK_BOOTSTRAP_KEY,
  });
  shutdown.onClose('pipeline-service', () => pipelineService.close());
  const { newKey } = pipelineService;
  const before = await presentReplica(log);
  if (isOwnDatabase && config.PENSTOCK_DEMO !== false && lacksDemo(before))
    await makeDemoOver(log, before, secrets);
  await pipelineService.published();
  const demo = findDemo(await presentReplica(log), secrets);
  const router = await createEventRouter(platform);
  shutdown.onClose('event-router', () => router.close());
  const executor = await createRunExecutor(platform);
  shutdown.onClose('run-executor', () => executor.close());
  const gateway = await createApiGateway({
    ...platform,
    ...gatewaySettings(settings),
    ...(demo && { demoDestination: demo.destination }),
  });
  shutdown.onClose('api-gateway', () => gateway.close());
  started();
  process.stdout.write(banner({ address: gateway.address, newKey, demo }));
};

/** Opens the warehouse in the embedded database. It is created only when the operator names no other. */
const ownWarehouse = async (
  { PENSTOCK_WAREHOUSE_URL }: StandaloneConfig,
  { isOwnDatabase, databaseUrl, secret }: Embedded,
): Promise<string | undefined> =>
  isOwnDatabase
    ? openEmbeddedWarehouse(databaseUrl, secret, PENSTOCK_WAREHOUSE_URL === undefined)
    : undefined;

/** Starts the four services in one process; everything is closed in the opposite order, the database last. */
export const startStandalone = async (config: StandaloneConfig): Promise<void> => {
  const logger = createLogger({ ...config, service: 'penstock' });
  const shutdown = new Shutdown({
    logger,
    deadlineMs: config.PENSTOCK_SHUTDOWN_SECONDS * 1_000,
  });
  shutdown.listen();
  const embedded = await openEmbedded(config);
  shutdown.onClose('embedded database', () => embedded.stop());
  try {
    const platform = await openPlatform(config, {
      service: 'penstock',
      logger,
      shutdown,
      databaseUrl: embedded.databaseUrl,
      secret: embedded.secret,
      embeddedWarehouseUrl: await ownWarehouse(config, embedded),
      connectors: 'all',
    });
    await startServices(platform, config, embedded);
  } catch (err) {
    logger.fatal({ err }, 'could not start');
    await shutdown.end(1);
  }
};
