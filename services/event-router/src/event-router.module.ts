import type { Connectors, GuardedHttp } from '@penstock/connectors';
import type { MessageLog } from '@penstock/messaging';
import { type Logger, Seals, type SecretBox } from '@penstock/runtime';
import type { FunctionRunner } from '@penstock/transformations';
import {
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import { EventRouter } from './event-router';
import { ConnectionDestinations } from './lanes/connection-destinations';
import { ROUTER_DEFAULTS, type RouterOptions } from './router.options';
import { PostgresRouterStore } from './store/postgres-router-store';

/** What the router is built on; the one who starts it chooses the adapters. */
export interface EventRouterDependencies {
  readonly log: MessageLog;
  readonly pool: Pool;
  readonly http: GuardedHttp;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  readonly functions: FunctionRunner;
  readonly logger: Logger;
  /** Where the router's metrics go. */
  readonly registry: Registry;
  readonly options?: Partial<RouterOptions>;
}

/** Starts and stops the router with the application around it. */
@Injectable()
export class RouterLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly router: EventRouter) {}

  onApplicationBootstrap(): Promise<void> {
    return this.router.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.router.stop();
  }
}

const router = ({
  log,
  pool,
  http,
  connectors,
  secrets,
  functions,
  logger,
  options,
}: EventRouterDependencies): EventRouter => {
  const whole = { ...ROUTER_DEFAULTS, ...options };
  return new EventRouter({
    log,
    http,
    functions,
    store: new PostgresRouterStore(pool, whole),
    options: whole,
    destinations: (picture) => {
      const seals = new Seals(secrets, (workspace) => picture.dataKey(workspace));
      return new ConnectionDestinations(picture, connectors, seals);
    },
    keyedHash: (text) => secrets.keyedHash(text),
    labelOf: (code) => connectors.get(code)?.label ?? code,
    onError: (err) => {
      logger.error({ err }, 'event router');
    },
  });
};

@Module({})
export class EventRouterModule {
  static on(dependencies: EventRouterDependencies): DynamicModule {
    return {
      module: EventRouterModule,
      providers: [
        { provide: EventRouter, useFactory: () => router(dependencies) },
        RouterLifecycle,
      ],
    };
  }
}
