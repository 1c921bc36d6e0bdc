import { type DataKey, Refusal, TOPIC, type WorkspaceId } from '@penstock/contracts';
import { LogServer, type MessageLog, PassErrorsOn } from '@penstock/messaging';
import { SealedRecords, TracedRequests, unavailable, withContextOf } from '@penstock/platform';
import { type Logger, NestLogger, Seals, type SecretBox, type Tracing } from '@penstock/runtime';
import { NestFactory } from '@nestjs/core';
import { DeliveriesModule, type DeliveryDependencies } from './deliveries.module';
import { StoreTurns } from './store-turns';

/** The routers of an installation share a group: any of them answers, from the store that they share. */
const GROUP = 'event-router.questions';
/** High enough that {@link StoreTurns} alone limits the questions. */
const MAX_DETACHED = 1_000;

/** What answering needs. */
export interface AnsweringDependencies extends DeliveryDependencies {
  readonly log: MessageLog;
  readonly secrets: SecretBox;
  readonly logger: Logger;
  /** Absent where telemetry is off. */
  readonly tracing?: Tracing | undefined;
  /** The key of a workspace in the configuration that this process has applied. */
  readonly dataKey: (workspace: string) => DataKey | undefined;
  /** Resolves when this process has applied what the log held at the call. */
  readonly caughtUp: () => Promise<void>;
  /** Plans replays. */
}

/** The seals of a workspace, also of one that was created a moment ago. */
const sealsOf =
  ({ secrets, dataKey, caughtUp }: AnsweringDependencies) =>
  async (workspace: WorkspaceId): Promise<Seals> => {
    if (dataKey(workspace) === undefined)
      await caughtUp().catch(() => {
        throw unavailable('the configuration cannot be read');
      });
    if (dataKey(workspace) === undefined) throw new Refusal('WorkspaceNotExist');
    return new Seals(secrets, dataKey);
  };

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
    new SealedRecords(sealsOf(dependencies)),
  );
  await application.listen();
  return () => {
    application.get(StoreTurns).close();
    return application.close();
  };
};
