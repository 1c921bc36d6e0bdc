import { join, resolve } from 'node:path';
import { createApiGateway, gatewaySettings } from '@penstock/api-gateway';
import { ConfigurationReplica } from '@penstock/contracts';
import { createEventRouter } from '@penstock/event-router';
import { LogClient, type MessageLog } from '@penstock/messaging';
import {
  createPipelineService,
  pipelineServiceSettings,
  type RunningPipelineService,
  showKey,
} from '@penstock/pipeline-service';
import {
  ConfigurationReader,
  openPlatform,
  type Platform,
  type StartingProcess,
} from '@penstock/platform';
import { createRunExecutor, runExecutorSettings } from '@penstock/run-executor';
import { type SecretBox, startOpsServer } from '@penstock/runtime';
import { printBanner } from './banner';
import { type Demo, findDemo, lacksDemo, makeDemo } from './demo';
import { type Embedded, openEmbedded } from './embedded';
import { openEmbeddedWarehouse } from './embedded-warehouse';
import { heldPorts, type HeldPorts } from './held-ports';
import type { StandaloneConfig } from './standalone-variables';

/** Reads the configuration as it is now. */
const presentReplica = async (log: MessageLog): Promise<ConfigurationReplica> => {
  const replica = new ConfigurationReplica();
  const reader = new ConfigurationReader(log, replica, () => undefined);
  await reader.start();
  const isRead = await reader.catchUp();
  await reader.stop();
  if (!isRead)
    throw new Error(
      'reading the configuration from the log has ended before the start was complete: start again',
    );
  return replica;
};

/** Makes the demo through the log, once the pipeline service reads commands. */
const makeDemoOver = async (
  log: MessageLog,
  replica: ConfigurationReplica,
  secrets: SecretBox,
  filesRoot: string | undefined,
): Promise<void> => {
  const client = new LogClient({ log });
  try {
    await makeDemo(client, replica, secrets, filesRoot);
  } finally {
    await client.close();
  }
};

/** What the services are started with. */
interface Start {
  readonly platform: Platform;
  readonly settings: StandaloneConfig;
  /** Where the demo may write a file; undefined: the operator has named a folder for files. */
  readonly demoFiles: string | undefined;
  readonly embedded: Embedded;
  readonly ports: HeldPorts;
}

const startOperations = async ({ platform, ports }: Start): Promise<() => void> => {
  const { config, health, shutdown } = platform;
  const { PENSTOCK_OPS_PORT: port, PENSTOCK_OPS_HOST: host } = config;
  const started = health.addCheck('start', () => Promise.reject(new Error('starting')));
  await ports.releaseOps();
  const ops = await startOpsServer({ port, host, health });
  shutdown.onClose('operations server', () => ops.close());
  return started;
};

/** The demo as it is now, if it exists, and whether this start has created it. */
interface OwnDemo {
  readonly demo: Demo | undefined;
  readonly isNew: boolean;
}

/** Creates the demo in a new installation. */
const ownDemo = async (
  { platform: { config, connectors, log, secrets }, embedded: { isOwnDatabase }, demoFiles }: Start,
  pipelineService: RunningPipelineService,
): Promise<OwnDemo> => {
  const files = connectors.get('filesystem') === undefined ? undefined : demoFiles;
  const before = await presentReplica(log);
  const isNew = isOwnDatabase && config.PENSTOCK_DEMO !== false && lacksDemo(before);
  if (isNew) await makeDemoOver(log, before, secrets, files);
  await pipelineService.published();
  return { demo: findDemo(await presentReplica(log), secrets), isNew };
};

/** Starts the gateway last: when it accepts a request, all other services are running. */
const startOthers = async (
  { platform, settings, ports }: Start,
  demo: Demo | undefined,
): Promise<string> => {
  const { shutdown } = platform;
  const router = await createEventRouter(platform);
  shutdown.onClose('event-router', () => router.close());
  const executor = await createRunExecutor({
    ...platform,
    ...runExecutorSettings(settings),
    spoolFolder: platform.config.PENSTOCK_FILES_SPOOL,
  });
  shutdown.onClose('run-executor', () => executor.close());
  await ports.releaseGateway();
  const gateway = await createApiGateway({
    ...platform,
    ...gatewaySettings(settings),
    ...(demo && { demoDestination: demo.destination }),
  });
  shutdown.onClose('api-gateway', () => gateway.close());
  return gateway.address;
};

/** Shows a new key also when the rest of the start fails: it is known nowhere else. */
const showingKey = async <T>(newKey: string | undefined, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (newKey !== undefined) showKey(newKey);
    throw error;
  }
};

const startServices = async (start: Start): Promise<void> => {
  const { platform, settings } = start;
  const started = await startOperations(start);
  const pipelineService = await createPipelineService({
    ...platform,
    ...pipelineServiceSettings(settings),
    spoolFolder: platform.config.PENSTOCK_FILES_SPOOL,
    bootstrapKey: platform.config.PENSTOCK_BOOTSTRAP_KEY,
    onUnshownKey: showKey,
  });
  platform.shutdown.onClose('pipeline-service', () => pipelineService.close());
  const { newKey } = pipelineService;
  await showingKey(newKey, async () => {
    const { demo, isNew } = await ownDemo(start, pipelineService);
    const address = await startOthers(start, demo);
    started();
    printBanner({ address, newKey, demo, isDemoNew: isNew });
  });
};

/** Opens the warehouse in the embedded database. It is created only when the operator names no other. */
const ownWarehouse = async (
  { PENSTOCK_WAREHOUSE_URL }: StandaloneConfig,
  { isOwnDatabase, databaseUrl, secret }: Embedded,
): Promise<string | undefined> =>
  isOwnDatabase
    ? openEmbeddedWarehouse(databaseUrl, secret, PENSTOCK_WAREHOUSE_URL === undefined)
    : undefined;

/** Folder of the embedded installation that the storage of files reads, unless the operator names another one. */
const FILES = 'files';

/**
 * Starts the four services in one process; everything is closed in the opposite order, the database last. The ports are
 * taken first: a start that must fail creates nothing.
 */
export const startStandalone = async (
  config: StandaloneConfig,
  starting: StartingProcess,
): Promise<void> => {
  const { shutdown } = starting;
  const ports = await heldPorts(config, shutdown);
  const opening = openEmbedded(config, starting);
  // Also when a signal arrives while the server is being started: it would go on without this process.
  shutdown.onClose('embedded database', () =>
    opening.then(
      (opened) => opened.stop(),
      () => undefined,
    ),
  );
  const embedded = await opening;
  if (shutdown.isEnding) return;
  const ownFiles = embedded.isOwnDatabase ? join(resolve(config.PENSTOCK_DATA), FILES) : undefined;
  const settings = {
    ...config,
    PENSTOCK_FILES_ROOT: config.PENSTOCK_FILES_ROOT ?? ownFiles,
  };
  const platform = await openPlatform(settings, {
    ...starting,
    databaseUrl: embedded.databaseUrl,
    secret: embedded.secret,
    embeddedWarehouseUrl: await ownWarehouse(config, embedded),
    connectors: 'all',
  });
  const demoFiles = config.PENSTOCK_FILES_ROOT === undefined ? ownFiles : undefined;
  await startServices({ platform, settings, embedded, ports, demoFiles });
};
