import {
  type Connectors,
  createConnectors,
  createGuardedHttp,
  DummyStore,
  type GuardedHttp,
} from '@penstock/connectors';
import {
  type EndedErasure,
  type EndedResolution,
  type HealthReport,
  type HistorySource,
  type PartitionCounts,
  PARTITIONS,
  type Instant,
  type PipelineId,
  type ReplayedRun,
  type ResolutionTrigger,
  type RunEnd,
  type RunId,
  type SuppressionId,
  topics,
  type WorkspaceId,
} from '@penstock/contracts';
import { createGuardedSockets, type GuardedSockets } from '@penstock/egress';
import { type MessageLog, openPool } from '@penstock/messaging';
import {
  Health,
  type Logger,
  Outages,
  type PenstockConfig,
  SecretBox,
  type Shutdown,
  type Tracing,
  withoutRequestId,
} from '@penstock/runtime';
import { createFunctionRunner, type FunctionRunner } from '@penstock/transformations';
import type { Pool } from 'pg';
import { register, type Registry } from 'prom-client';
import type { Warehouses } from '@penstock/warehouses';
import { readHistory } from './read-history';
import { type DeliverySettings, deliverySettings } from './delivery-settings';
import { claimLog } from './installation/claim-log';
import { InstallationRecord } from './installation/installation-record';
import { checkPostgresVersion } from './installation/postgres-version';
import { openMessageLog } from './open-message-log';
import { openWarehouses } from './open-warehouses';
import { PipelineServiceClient } from './pipeline-service-client';
import { WatchedFunctions } from './watched-functions';

const MIB = 1024 * 1024;

/**
 * Connections to the database that the services of one process share, the log's own not counted. One to a host that
 * has vanished is given up, and with it what waits for it.
 */
const POOL = {
  keepAlive: true,
  connectionTimeoutMillis: 5_000,
  idle_in_transaction_session_timeout: 10_000,
};

const STATEMENT_TIMEOUT_MS = 20_000;

const LOST_CONNECTION =
  'an idle connection to the database was lost; another is opened when it is needed';

/** What a process stands on. */
export interface Platform {
  readonly config: PenstockConfig;
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Absent where telemetry is off. */
  readonly tracing?: Tracing | undefined;
  readonly health: Health;
  readonly shutdown: Shutdown;
  readonly pool: Pool;
  /** The most connections of {@link pool}, and of a pool that a service opens beside it. */
  readonly databaseConnections: number;
  readonly log: MessageLog;
  readonly connectors: Connectors;
  readonly dummyStore: DummyStore;
  readonly http: GuardedHttp;
  readonly sockets: GuardedSockets;
  readonly secrets: SecretBox;
  readonly warehouses: Warehouses;
  /** What the first workspace's warehouse is to be, or is. */
  readonly firstWarehouse: {
    readonly url: string | undefined;
    readonly embeddedUrl: string | undefined;
  };
  /** Starts its sandbox when the first function is run. */
  readonly functions: FunctionRunner;
  readonly delivery: DeliverySettings;
  /** Queries the pipeline service, wherever that runs. */
  readonly history: HistorySource;
  /** Sends what routers have observed to the pipeline service. Rejects on a time-out or when the log is unavailable. */
  readonly reportHealth: (report: HealthReport) => Promise<void>;
  /** Tells the pipeline service how a run has ended. Rejects on a time-out or when the log is unavailable. */
  readonly endRun: (pipeline: PipelineId, end: RunEnd) => Promise<void>;
  /** Tells the pipeline service since when a run waits; `null`: it waits no more. Rejects as above. */
  readonly noteRunWait: (pipeline: PipelineId, run: RunId, since: Instant | null) => Promise<void>;
  /** Tells the pipeline service how a resolution has ended. Rejects on a time-out or when the log is unavailable. */
  readonly endResolution: (workspace: WorkspaceId, end: EndedResolution) => Promise<void>;
  /** Has users suppressed who are erased. Rejects on a time-out or when the log is unavailable. */
  readonly suppressErased: (
    workspace: WorkspaceId,
    users: readonly SuppressionId[],
  ) => Promise<void>;
  /** Tells the pipeline service how an erasure has ended. Rejects on a time-out or when the log is unavailable. */
  readonly endErasure: (workspace: WorkspaceId, end: EndedErasure) => Promise<void>;
  /**
   * Has a resolution started as soon as it may. Rejects on a time-out or when the log is unavailable.
   *
   * @param command its id, under which it is done once.
   */
  readonly triggerResolution: (
    workspace: WorkspaceId,
    trigger: ResolutionTrigger,
    full: boolean,
    command: string,
  ) => Promise<void>;
  /** Tells the run executors where identities of events were written. Rejects on a time-out or when the log is unavailable. */
  readonly noteIdentities: (workspaces: readonly WorkspaceId[]) => Promise<void>;
  /** Tells the run executors of a replay of events. Rejects on a time-out or when the log is unavailable. */
  readonly recordReplay: (replay: ReplayedRun) => Promise<void>;
  /** The metrics of the process. */
  readonly registry: Registry;
}

/** What the embedded default makes by itself and other set-ups are given. */
export interface PlatformSettings {
  readonly service: string;
  readonly logger: Logger;
  readonly tracing?: Tracing | undefined;
  /** What is opened here is closed by it, last opened first. */
  readonly shutdown: Shutdown;
  readonly databaseUrl: string;
  readonly secret: string;
  /** A warehouse in the embedded database; absent: there is none. */
  readonly embeddedWarehouseUrl?: string | undefined;
  /** Codes of the connectors that may be used when the configuration names none; absent: all but `dummy`. */
  readonly connectors?: 'all';
}

/** The test application is listed only where the operator enables it. */
const enabledConnectors = (
  { PENSTOCK_CONNECTORS }: PenstockConfig,
  fallback: 'all' | undefined,
  all: Connectors,
): readonly string[] =>
  PENSTOCK_CONNECTORS ??
  all.list.map(({ code }) => code).filter((code) => fallback === 'all' || code !== 'dummy');

const partitionCounts = ({
  KAFKA_BROKERS,
  PENSTOCK_EVENTS_PARTITIONS,
}: PenstockConfig): PartitionCounts => {
  const counts = KAFKA_BROKERS === undefined ? PARTITIONS.embedded : PARTITIONS.distributed;
  return { ...counts, events: PENSTOCK_EVENTS_PARTITIONS ?? counts.events };
};

const openFunctions = (
  {
    PENSTOCK_FUNCTION_TIMEOUT_MS,
    PENSTOCK_FUNCTION_MAX_MIB,
    PENSTOCK_FUNCTION_TOTAL_MIB: total,
  }: PenstockConfig,
  { logger, shutdown }: Pick<PlatformSettings, 'logger' | 'shutdown'>,
): WatchedFunctions => {
  const runner = createFunctionRunner({
    timeLimitMs: PENSTOCK_FUNCTION_TIMEOUT_MS,
    memoryLimitBytes: PENSTOCK_FUNCTION_MAX_MIB * MIB,
    ...(total !== undefined && { memoryCapBytes: total * MIB }),
  });
  const functions = new WatchedFunctions(runner, (err) => {
    logger.error(
      { err },
      'the sandbox of functions cannot be started: events wait for pipelines with a function. Look at the cause and the free memory of this machine; it is tried again',
    );
  });
  shutdown.onClose('functions', () => functions.close());
  return functions;
};

/**
 * Opens everything and makes the topics that are missing.
 *
 * @throws OldPostgres, WrongLog when the database server or the log cannot be used.
 */
export const openPlatform = async (
  config: PenstockConfig,
  { service, logger, tracing, shutdown, databaseUrl, secret, ...settings }: PlatformSettings,
): Promise<Platform> => {
  const outages = new Outages(logger);
  const pool = openPool(
    { connectionString: databaseUrl, max: config.PENSTOCK_DATABASE_CONNECTIONS, ...POOL },
    {
      statementMs: STATEMENT_TIMEOUT_MS,
      onIdleError: (err) => {
        // The pool does not wait until its connections have ended, so that the embedded database may end them first.
        if (pool.ending) return;
        withoutRequestId(() => {
          outages.report({ what: LOST_CONNECTION, err, level: 'warn' });
        });
      },
    },
  );
  shutdown.onClose('database', () => pool.end());
  const log = openMessageLog(config, databaseUrl, service, logger);
  shutdown.onClose('log', () => log.close());
  const http = createGuardedHttp({ allow: [...config.PENSTOCK_EGRESS_ALLOW] });
  shutdown.onClose('outgoing connections', () => http.close());
  const dummyStore = new DummyStore(pool);
  const { PENSTOCK_FILES_ROOT: filesRoot } = config;
  const all = createConnectors({ dummyStore, filesRoot });
  const enabled = enabledConnectors(config, settings.connectors, all);
  const functions = openFunctions(config, { logger, shutdown });
  const health = new Health();
  health.addCheck('shutdown', () =>
    shutdown.isEnding ? Promise.reject(new Error('ending')) : Promise.resolve(),
  );
  health.addCheck('log', () => log.ping());
  health.addCheck('database', () => pool.query('SELECT 1'));
  health.addCheck('functions', () => functions.check());
  const delivery = deliverySettings(config);
  await checkPostgresVersion(pool);
  await claimLog({
    record: new InstallationRecord(pool),
    log,
    topics: topics(partitionCounts(config), delivery.eventsRetentionMs),
    isShared: config.KAFKA_BROKERS !== undefined,
    mayMove: delivery.eventsFrom !== undefined,
    onMove: (move) => {
      logger.warn(
        move,
        'PENSTOCK_EVENTS_FROM is set: this installation leaves the log `from` and begins with the log `to`',
      );
    },
  });
  const pipelineService = new PipelineServiceClient({ log, service });
  shutdown.onClose('questions to the pipeline service', () => pipelineService.close());
  return {
    config,
    databaseUrl,
    logger,
    tracing,
    health,
    shutdown,
    pool,
    databaseConnections: config.PENSTOCK_DATABASE_CONNECTIONS,
    log,
    connectors: createConnectors({ dummyStore, filesRoot, enabled }),
    dummyStore,
    http,
    sockets: createGuardedSockets(config.PENSTOCK_EGRESS_ALLOW),
    secrets: new SecretBox(secret),
    warehouses: openWarehouses(config, settings.embeddedWarehouseUrl),
    firstWarehouse: {
      url: config.PENSTOCK_WAREHOUSE_URL,
      embeddedUrl: settings.embeddedWarehouseUrl,
    },
    functions,
    delivery,
    history: readHistory(pipelineService),
    reportHealth: (report) => pipelineService.execute('ReportHealth', report.id, report),
    noteRunWait: (id, run, since) => pipelineService.execute('NoteRunWait', id, { id, run, since }),
    endRun: (id, end) => pipelineService.execute('EndRun', id, { id, end }),
    endResolution: (id, end) => pipelineService.execute('EndResolution', id, { id, end }),
    suppressErased: (id, users) => pipelineService.execute('SuppressErased', id, { id, users }),
    endErasure: (id, end) => pipelineService.execute('EndErasure', id, { id, end }),
    triggerResolution: (id, trigger, full, command) =>
      pipelineService.execute('TriggerResolution', id, { id, trigger, full }, command),
    recordReplay: async (replay) => {
      await pipelineService.ask('RecordReplay', replay.pipeline, { replay });
    },
    noteIdentities: async (workspaces) => {
      await pipelineService.ask('NoteIdentities', workspaces[0] ?? '', { workspaces });
    },
    registry: register,
  };
};
