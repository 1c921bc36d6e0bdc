import { TOPIC } from '@penstock/contracts';
import { LogServer, type MessageLog, PassErrorsOn } from '@penstock/messaging';
import {
  type FollowedKeys,
  followedSeals,
  SealedRecords,
  TracedRequests,
  withContextOf,
} from '@penstock/platform';
import { type Logger, NestLogger, Seals, type Tracing } from '@penstock/runtime';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ErasureStore } from '../erasures/erasure-store';
import { PendingLooks } from '../resolutions/pending-looks';
import { ResolutionStore } from '../resolutions/resolution-store';
import { ResolutionWarnings } from '../resolutions/resolution-warnings';
import { ErrorTexts } from '../store/error-texts';
import { RunStore } from '../store/run-store';
import { GetErasure } from './get-erasure';
import { GetLatestResolution } from './get-latest-resolution';
import { GetRun } from './get-run';
import { ListRunErrors } from './list-run-errors';
import { ListRunFacts } from './list-run-facts';
import { ListRuns } from './list-runs';
import { NotedIdentities, NoteIdentities } from './note-identities';
import { RecordReplay } from './record-replay';
import { RunAnswers, TakenOver } from './run-answers';

/** The executors of an installation share a group: any of them answers, from the store that they share. */
const GROUP = 'run-executor.queries';
/** High enough that the turns of the handlers alone limit the questions. */
const MAX_DETACHED = 1_000;

/** A handler for each operation that is declared as answered by executors. */
export const HANDLERS: Type<object>[] = [
  ListRuns,
  GetRun,
  ListRunErrors,
  ListRunFacts,
  RecordReplay,
  NoteIdentities,
  GetLatestResolution,
  GetErasure,
];

/** What answering needs. */
export interface AnsweringDependencies extends FollowedKeys {
  readonly log: MessageLog;
  readonly logger: Logger;
  /** Absent where telemetry is off. */
  readonly tracing?: Tracing | undefined;
  readonly store: RunStore;
  readonly resolutions: ResolutionStore;
  readonly erasures: ErasureStore;
  readonly pending: PendingLooks;
  readonly noted: NotedIdentities;
  readonly takenOver: TakenOver;
}

@Module({})
class QueriesModule {
  static on(dependencies: AnsweringDependencies): DynamicModule {
    const { store, resolutions, erasures, pending, noted, takenOver } = dependencies;
    const { secrets, dataKey } = dependencies;
    const seals = new Seals(secrets, dataKey);
    return {
      module: QueriesModule,
      controllers: HANDLERS,
      providers: [
        { provide: RunStore, useValue: store },
        { provide: ResolutionStore, useValue: resolutions },
        { provide: ErasureStore, useValue: erasures },
        { provide: PendingLooks, useValue: pending },
        { provide: NotedIdentities, useValue: noted },
        { provide: TakenOver, useValue: takenOver },
        { provide: ResolutionWarnings, useValue: new ResolutionWarnings(seals) },
        { provide: ErrorTexts, useValue: new ErrorTexts(seals) },
        RunAnswers,
      ],
    };
  }
}

/** Answers queries about runs and resolutions until the returned function is called, which resolves when the last is answered. */
export const answerQueries = async (
  dependencies: AnsweringDependencies,
): Promise<() => Promise<void>> => {
  const { log, logger, tracing } = dependencies;
  const strategy = new LogServer({
    log,
    group: GROUP,
    requests: [TOPIC.executorQueries],
    maxDetached: MAX_DETACHED,
    logger: {
      error: (message: unknown, err: unknown) => {
        logger.error({ err }, String(message));
      },
      warn: (message: unknown) => {
        logger.warn(String(message));
      },
    },
    within: withContextOf,
  });
  const application = await NestFactory.createMicroservice(QueriesModule.on(dependencies), {
    logger: new NestLogger(logger),
    abortOnError: false,
    strategy,
  });
  application.useGlobalFilters(new PassErrorsOn());
  application.useGlobalInterceptors(
    new TracedRequests(tracing),
    new SealedRecords(followedSeals(dependencies)),
  );
  await application.listen();
  return () => {
    application.get(RunAnswers).close();
    return application.close();
  };
};
