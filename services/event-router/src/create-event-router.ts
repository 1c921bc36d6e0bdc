import { NestLogger } from '@penstock/runtime';
import { NestFactory } from '@nestjs/core';
import { answerQuestions } from './deliveries/answer-questions';
import type { TraceSources } from './deliveries/trace-sources';
import { EventRouter } from './event-router';
import { type EventRouterDependencies, EventRouterModule } from './event-router.module';
import { checkReadiness } from './readiness';
import { ROUTER_DEFAULTS } from './lanes/router.options';
import { startReplays } from './replays/start-replays';
import { registerRouterMetrics } from './router-metrics';

export interface RunningRouter {
  /** Finishes what is in flight, commits, hands its partitions over. */
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const traceSources = (
  { routes, suppressions, replica }: EventRouter,
  { log, functions, delivery }: EventRouterDependencies,
): TraceSources => ({
  log,
  routes,
  suppressions,
  functions,
  workspaceOf: (pipeline) => replica.pipelineHead(pipeline)?.workspace,
  kept: {
    messageIdHours: delivery.duplicateWindowMs / HOUR_MS,
    eventDays: delivery.eventsRetentionMs / DAY_MS,
    outcomeDays: delivery.eventsRetentionMs / DAY_MS,
    deadLetterDays: delivery.deadLettersMs / DAY_MS,
  },
});

/** Resolves when the router has begun to acquire its share of the partitions. */
export const createEventRouter = async (
  dependencies: EventRouterDependencies,
): Promise<RunningRouter> => {
  const application = await NestFactory.createApplicationContext(
    EventRouterModule.on(dependencies),
    { logger: new NestLogger(dependencies.logger), abortOnError: false },
  );
  const router = application.get(EventRouter);
  registerRouterMetrics(router, dependencies.registry);
  const { connectors } = dependencies;
  const replays = startReplays({
    ...dependencies,
    replica: router.replica,
    caughtUp: () => router.caughtUp(),
    labelOf: (code) => connectors.get(code)?.label ?? code,
    liveLagMs: () => router.engine.liveLagMs,
    polling: dependencies.options?.polling ?? ROUTER_DEFAULTS.polling,
  });
  const stopAnswering = await answerQuestions({
    ...dependencies,
    replays: replays.creation,
    telling: replays.telling,
    dataKey: (workspace) => router.replica.dataKey(workspace),
    orderings: { of: (pipeline) => router.orderingOf(pipeline) },
    caughtUp: () => router.caughtUp(),
    traces: traceSources(router, dependencies),
  }).catch(async (error: unknown) => {
    await replays.stop();
    await application.close();
    throw error;
  });
  const removeCheck = dependencies.health.addCheck('event router', () => checkReadiness(router));
  return {
    close: async () => {
      removeCheck();
      // A question may take seconds; partitions are handed over meanwhile.
      await Promise.all([stopAnswering(), replays.stop(), application.close()]);
    },
  };
};
