import { TOPIC } from '@penstock/contracts';
import { LogServer, type MessageLog, PassErrorsOn } from '@penstock/messaging';
import {
  type FollowedKeys,
  followedSeals,
  SealedRecords,
  TracedRequests,
  withContextOf,
} from '@penstock/platform';
import { type Logger, NestLogger, type Tracing } from '@penstock/runtime';
import { NestFactory } from '@nestjs/core';
import { DeliveriesModule, type DeliveryDependencies } from './deliveries.module';
import { StoreTurns } from './store-turns';

/** The routers of an installation share a group: any of them answers, from the store that they share. */
const GROUP = 'event-router.questions';
/** High enough that {@link StoreTurns} alone limits the questions. */
const MAX_DETACHED = 1_000;

/** What answering needs. */
export interface AnsweringDependencies extends DeliveryDependencies, FollowedKeys {
  readonly log: MessageLog;
  readonly logger: Logger;
  /** Absent where telemetry is off. */
  readonly tracing?: Tracing | undefined;
}

/** Answers questions about deliveries until the returned function is called, which resolves when the last is answered. */
export const answerQuestions = async (
  dependencies: AnsweringDependencies,
): Promise<() => Promise<void>> => {
  const { log, logger } = dependencies;
  const strategy = new LogServer({
    log,
    group: GROUP,
    requests: [TOPIC.routerQueries],
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
  const application = await NestFactory.createMicroservice(DeliveriesModule.on(dependencies), {
    logger: new NestLogger(logger),
    abortOnError: false,
    strategy,
  });
  application.useGlobalFilters(new PassErrorsOn());
  application.useGlobalInterceptors(
    new TracedRequests(dependencies.tracing),
    new SealedRecords(followedSeals(dependencies)),
  );
  await application.listen();
  return () => {
    application.get(StoreTurns).close();
    return application.close();
  };
};
