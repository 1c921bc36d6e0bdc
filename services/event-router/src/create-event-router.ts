import { NestLogger } from '@penstock/runtime';
import { NestFactory } from '@nestjs/core';
import { EventRouter } from './event-router';
import { type EventRouterDependencies, EventRouterModule } from './event-router.module';
import { registerRouterMetrics } from './router-metrics';

export interface RunningRouter {
  /** Finishes what is in flight, commits, hands its partitions over. */
  close(): Promise<void>;
}

/** Resolves when the router has joined its group. */
export const createEventRouter = async (
  dependencies: EventRouterDependencies,
): Promise<RunningRouter> => {
  const application = await NestFactory.createApplicationContext(
    EventRouterModule.on(dependencies),
    { logger: new NestLogger(dependencies.logger), abortOnError: false },
  );
  registerRouterMetrics(application.get(EventRouter), dependencies.registry);
  return { close: () => application.close() };
};
