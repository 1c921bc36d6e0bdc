import { PostgresEventStore } from '@penstock/event-sourcing';
import { LogServer, PassErrorsOn } from '@penstock/messaging';
import { NestLogger } from '@penstock/runtime';
import { NestFactory } from '@nestjs/core';
import { QueryFailedError } from 'typeorm';
import { Connections } from './connections/connections';
import { openDatabase } from './database';
import { bootstrap } from './organizations/bootstrap';
import { type PipelineServiceDependencies, PipelineServiceModule } from './pipeline-service.module';
import { Pipelines } from './pipelines/pipelines';
import { Queries } from './queries';
import { RelayRunner } from './relay/relay-runner';

const GROUP = 'pipeline-service';

/** SQLSTATE classes that say that the database is away or going away, not that the statement is wrong. */
const AWAY = /^(08|57P0[123]|53300)/;

const isDatabaseAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { code } = (error instanceof QueryFailedError ? error.driverError : error) as Error & {
    readonly code?: string;
  };
  return code === undefined
    ? /Connection terminated|timeout exceeded when trying to connect/.test(error.message)
    : AWAY.test(code) || ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code);
};

export interface RunningPipelineService {
  /** The first API key, when this start has made one: to be shown once. */
  readonly newKey: string | undefined;
  readonly isFirstStart: boolean;
  readonly connections: Connections;
  readonly pipelines: Pipelines;
  readonly queries: Queries;
  /** Resolves when everything that was recorded before the call is on the log. */
  published(): Promise<void>;
  /** Answers the requests in hand, publishes what was recorded, closes. */
  close(): Promise<void>;
}

/** Resolves when commands are being read and the relay runs. */
export const createPipelineService = async (
  dependencies: PipelineServiceDependencies,
): Promise<RunningPipelineService> => {
  const { log, databaseUrl, secrets, logger, bootstrapKey } = dependencies;
  const database = await openDatabase(databaseUrl);
  const store = new PostgresEventStore(database);
  const { newKey, isFirstStart } = await bootstrap(store, database, secrets, {
    ...(bootstrapKey !== undefined && { key: bootstrapKey }),
  });
  const relay = new RelayRunner(databaseUrl, store, log, (err) => {
    logger.error({ err }, 'relay');
  });
  relay.start();
  const nestLogger = new NestLogger(logger);
  const application = await NestFactory.createMicroservice(
    PipelineServiceModule.on(dependencies, database),
    {
      logger: nestLogger,
      abortOnError: false,
      strategy: new LogServer({
        log,
        group: GROUP,
        logger: nestLogger,
        isRetriable: isDatabaseAway,
      }),
    },
  );
  application.useGlobalFilters(new PassErrorsOn());
  await application.listen();
  return {
    newKey,
    isFirstStart,
    connections: application.get(Connections),
    pipelines: application.get(Pipelines),
    queries: application.get(Queries),
    published: async () => relay.caughtUpWith(await store.position()),
    close: async () => {
      await application.close();
      await relay.stop();
      await database.destroy();
    },
  };
};
