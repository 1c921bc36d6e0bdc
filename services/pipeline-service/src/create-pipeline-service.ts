import { TOPIC, type WorkspaceId } from '@penstock/contracts';
import { type EventStore, PostgresEventStore } from '@penstock/event-sourcing';
import { LogServer, PassErrorsOn } from '@penstock/messaging';
import {
  Closing,
  SealedRecords,
  SlowRequests,
  TracedRequests,
  withContextOf,
} from '@penstock/platform';
import { currentRequestId, NestLogger, Outages, withoutRequestId } from '@penstock/runtime';
import { NestFactory } from '@nestjs/core';
import type { INestMicroservice } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Configuration } from './command-handling/configuration';
import { CountedRequests } from './command-handling/counted-requests';
import { DryRunGuard } from './command-handling/dry-run.guard';
import { checkSecret } from './data-keys/check-secret';
import { DataKeys } from './data-keys/data-keys';
import { openDatabase } from './database/database';
import { isDatabaseAway } from './database/is-database-away';
import { orUnavailable } from './database/or-unavailable';
import { bootstrap } from './organizations/bootstrap';
import { revokeLeftKeys } from './organizations/revoke-keys';
import {
  DEFAULT_RETENTION_MS,
  type PipelineServiceDependencies,
  PipelineServiceModule,
} from './pipeline-service.module';
import { RelayRunner } from './relay/relay-runner';
import { WaitingResolutions } from './resolutions/waiting-resolutions';
import { forgetOldReplies } from './retries/forget-old-replies';
import { runSchedules } from './runs/run-schedules';
import { Scheduler } from './runs/scheduler';
import { LeftChanges } from './profiles/left-changes';
import { provideFirstWarehouse } from './warehouse/first-warehouse';
import { ProfileChangeEndings } from './warehouse/profile-change-endings';
import { WarehouseChecks } from './warehouse/warehouse-checks';

const GROUP = 'pipeline-service';
const DAY_MS = 86_400_000;

const LOST_CONNECTION =
  'an idle connection to the database was lost; another is opened when it is needed';
const RELAY_FAULT =
  'recorded configuration changes cannot be published to the log and take no effect yet; trying again';
const SCHEDULE_FAULT =
  'due slots of schedules cannot be decided, so that runs are late; trying again';
const PROFILES_FAULT =
  'changes of schemas of profiles that were interrupted cannot be ended, so that runs wait; trying again';
const RESOLUTION_FAULT =
  'resolutions of identities that wait cannot be started, so that profiles are late; trying again';
/** High enough that {@link SlowRequests} alone limits slow requests. */
const MAX_DETACHED = 1_000;

export interface RunningPipelineService {
  /** The first API key when this start has generated one, to be shown once. */
  readonly newKey: string | undefined;
  /** Resolves when all facts recorded before the call are on the log. */
  published(): Promise<void>;
  /** Answers the requests under way, publishes the recorded facts and closes. */
  close(): Promise<void>;
}

const createApplication = (
  dependencies: PipelineServiceDependencies,
  store: EventStore<EntityManager>,
): Promise<INestMicroservice> => {
  const { log, logger } = dependencies;
  const outages = new Outages(logger);
  const strategy = new LogServer({
    log,
    group: GROUP,
    requests: [TOPIC.commands, TOPIC.queries],
    maxDetached: MAX_DETACHED,
    isRetriable: isDatabaseAway,
    logger: {
      error: (message: unknown, err: unknown) => {
        // Of a request that has failed each line counts; what is not of one is tried again, and fails again.
        if (currentRequestId() === undefined) outages.report({ what: String(message), err });
        else logger.error({ err }, String(message));
      },
      warn: (message: unknown) => {
        logger.warn(String(message));
      },
    },
    within: withContextOf,
  });
  return NestFactory.createMicroservice(PipelineServiceModule.on(dependencies, store), {
    logger: new NestLogger(logger),
    abortOnError: false,
    strategy,
  });
};

/**
 * Does work that is due, again and again, from now on.
 *
 * @param what the fault that is reported when it fails.
 * @returns a function that stops it.
 */
const repeat = (
  outages: Outages,
  what: string,
  workOf: (onError: (error: unknown) => void) => Parameters<typeof runSchedules>[0],
): (() => Promise<void>) => {
  let hasFailed = false;
  const onError = (err: unknown): void => {
    hasFailed = true;
    withoutRequestId(() => {
      outages.report({ what, err });
    });
  };
  return runSchedules(workOf(onError), onError, () => {
    if (!hasFailed) outages.succeeded(what);
    hasFailed = false;
  });
};

/**
 * Creates what a new installation and an upgraded one need.
 *
 * @returns the first API key when it was generated.
 * @throws CannotStart when the secret is not that of the installation.
 */
const prepare = async (
  dependencies: PipelineServiceDependencies,
  store: EventStore<EntityManager>,
): Promise<string | undefined> => {
  const { secrets, bootstrapKey, warehouses, firstWarehouse, onUnshownKey } = dependencies;
  const dataKeys = new DataKeys(secrets);
  // Before anything is recorded: a key that is hashed with another secret would never be found.
  await checkSecret(store.db, dataKeys);
  const { newKey } = await bootstrap(store, secrets, dataKeys, {
    ...(bootstrapKey !== undefined && { key: bootstrapKey }),
  });
  try {
    await dataKeys.provide(store);
    await revokeLeftKeys(store);
    if (firstWarehouse !== undefined)
      await provideFirstWarehouse(store, new WarehouseChecks(warehouses), dataKeys, firstWarehouse);
    return newKey;
  } catch (error) {
    if (newKey !== undefined) onUnshownKey?.(newKey);
    throw error;
  }
};

/**
 * Resolves when commands are being read and all facts recorded before are on the log, the API key of a first start
 * included. A failed start closes what it has opened.
 */
export const createPipelineService = async (
  dependencies: PipelineServiceDependencies,
): Promise<RunningPipelineService> => {
  const { log, databaseUrl, databaseConnections, logger, registry } = dependencies;
  const opened = new Closing();
  let newKey: string | undefined;
  try {
    const outages = new Outages(logger);
    const onConnectionLost = (err: unknown): void => {
      withoutRequestId(() => {
        outages.report({ what: LOST_CONNECTION, err, level: 'warn' });
      });
    };
    const database = await openDatabase(databaseUrl, onConnectionLost, databaseConnections);
    opened.add(() => database.destroy());
    const store = new PostgresEventStore(database.manager);
    newKey = await prepare(dependencies, store);
    const onError = (err: unknown): void => {
      outages.report({ what: RELAY_FAULT, err });
    };
    const { delivery } = dependencies;
    const deletedKeptMs = (delivery?.eventsRetentionMs ?? DEFAULT_RETENTION_MS) + DAY_MS;
    const onSuccess = (): void => {
      outages.succeeded(RELAY_FAULT);
    };
    const relay = new RelayRunner({ databaseUrl, store, log, onError, onSuccess, deletedKeptMs });
    relay.start();
    opened.add(() => relay.stop());
    opened.add(forgetOldReplies(store, logger));
    const application = await createApplication(dependencies, store);
    opened.add(() => {
      application.get(SlowRequests).close();
      return application.close();
    });
    application.useGlobalFilters(new PassErrorsOn());
    application.useGlobalGuards(new DryRunGuard());
    const dataKeys = application.get(DataKeys);
    const sealsOf = (workspace: WorkspaceId) =>
      orUnavailable(dataKeys.of(database.manager, workspace));
    if (registry !== undefined) application.useGlobalInterceptors(new CountedRequests(registry));
    application.useGlobalInterceptors(
      new TracedRequests(dependencies.tracing),
      new SealedRecords(sealsOf),
    );
    const configuration = application.get(Configuration);
    const endings = application.get(ProfileChangeEndings);
    const slots = repeat(
      outages,
      SCHEDULE_FAULT,
      (report) => new Scheduler(store, configuration, report),
    );
    opened.add(slots);
    const resolutions = repeat(
      outages,
      RESOLUTION_FAULT,
      (report) => new WaitingResolutions(store, configuration, report),
    );
    opened.add(resolutions);
    const leftChanges = repeat(outages, PROFILES_FAULT, () => new LeftChanges(store.db, endings));
    opened.add(leftChanges);
    await application.listen();
    const published = async (): Promise<void> => relay.caughtUpWith(await store.position());
    await published();
    return { newKey, published, close: () => opened.close() };
  } catch (error) {
    if (newKey !== undefined) dependencies.onUnshownKey?.(newKey);
    await opened.close();
    throw error;
  }
};
