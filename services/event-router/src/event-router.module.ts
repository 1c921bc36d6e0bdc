import type { Connectors, GuardedHttp } from '@penstock/connectors';
import type {
  ConfigurationReplica,
  HealthReport,
  HistorySource,
  ReplayedRun,
  WorkspaceId,
} from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import type { DeliverySettings } from '@penstock/platform';
import {
  type Health,
  type Logger,
  Outages,
  Seals,
  type SecretBox,
  type Tracing,
} from '@penstock/runtime';
import type { FunctionRunner } from '@penstock/transformations';
import {
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Warehouses } from '@penstock/warehouses';
import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import { webhookRequests } from './alerts/webhook-requests';
import { EventRouter } from './event-router';
import { ROUTER_DEFAULTS, type RouterOptions } from './lanes/router.options';
import { RefusedEventsTable } from './refused/refused-events-table';
import { ConnectionDestinations } from './sending/connection-destinations';
import { PostgresRouterStore } from './store/postgres/postgres-router-store';
import { SystemClock } from './time/clock';
import { RouterSpans } from './telemetry/router-spans';
import { RouterFault } from './faults/router-fault';
import { IdentityNotices } from './warehouse/identity-notices';
import { WarehouseDestinations } from './warehouse/warehouse-destinations';

/** Dependencies of the router; the process that starts it chooses the adapters. */
export interface EventRouterDependencies {
  readonly log: MessageLog;
  readonly pool: Pool;
  readonly http: GuardedHttp;
  readonly connectors: Connectors;
  readonly warehouses: Pick<Warehouses, 'get'>;
  readonly secrets: SecretBox;
  readonly functions: FunctionRunner;
  /** What the configuration was before the states that its topic still holds. */
  readonly history: HistorySource;
  /** Sends to the pipeline service what routers have observed of a connection or a pipeline. */
  readonly reportHealth: (report: HealthReport) => Promise<void>;
  /** Tells the executors of a replay, which they show as a run. Rejects when there is no answer. */
  readonly recordReplay: (replay: ReplayedRun) => Promise<void>;
  /** Tells the executors in which workspaces identities were written. Rejects when there is no answer. */
  readonly noteIdentities: (workspaces: readonly WorkspaceId[]) => Promise<void>;
  /** What the operator has set about deliveries. */
  readonly delivery: DeliverySettings;
  readonly logger: Logger;
  /** Absent where telemetry is off. */
  readonly tracing?: Tracing | undefined;
  readonly health: Health;
  /** The registry that the router's metrics are registered in. */
  readonly registry: Registry;
  readonly options?: Partial<RouterOptions>;
}

/** Starts and stops the router with the application around it. */
@Injectable()
class RouterLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly router: EventRouter,
    private readonly notices: IdentityNotices,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.router.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.router.stop();
    await this.notices.stop();
  }
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const optionsOf = (delivery: DeliverySettings): Partial<RouterOptions> => ({
  maxAgeMs: delivery.maxAgeMs,
  deadLetterDays: delivery.deadLettersMs / DAY_MS,
  outcomeDays: delivery.eventsRetentionMs / DAY_MS,
  duplicateWindowHours: delivery.duplicateWindowMs / HOUR_MS,
  eventsFrom: delivery.eventsFrom,
  budgetBytes: delivery.routerMemoryBytes,
});

const NOTICES_FAULT =
  'identities in events are resolved late, since no run executor answers or the log is away; trying again';

const noticesOf = ({ noteIdentities, logger }: EventRouterDependencies): IdentityNotices => {
  const outages = new Outages(logger);
  return new IdentityNotices({
    clock: new SystemClock(),
    tell: noteIdentities,
    onError: (err) => {
      outages.report({ what: NOTICES_FAULT, err });
    },
  });
};

const router = (
  {
    log,
    pool,
    http,
    connectors,
    warehouses,
    secrets,
    functions,
    history,
    reportHealth,
    delivery,
    logger,
    tracing,
    options,
  }: EventRouterDependencies,
  notices: IdentityNotices,
): EventRouter => {
  const outages = new Outages(logger);
  const onError = (err: unknown): void => {
    const what = err instanceof Error ? err.message : String(err);
    outages.report({ what, err, ...(err instanceof RouterFault && { where: err.where }) });
  };
  const sealsOf = (replica: ConfigurationReplica): Seals =>
    new Seals(secrets, (workspace) => replica.dataKey(workspace));
  const allOptions = { ...ROUTER_DEFAULTS, ...optionsOf(delivery), ...options };
  return new EventRouter({
    clock: new SystemClock(),
    log,
    functions,
    spans: tracing && new RouterSpans(tracing),
    historySource: history,
    reportHealth,
    store: new PostgresRouterStore(pool, allOptions),
    refusedEvents: new RefusedEventsTable(pool),
    options: allOptions,
    destinations: (replica) => {
      const mostAgeMs = delivery.eventsRetentionMs - DAY_MS;
      const seals = sealsOf(replica);
      const connections = new ConnectionDestinations(replica, connectors, seals, http, mostAgeMs);
      const access = { replica, warehouses, seals };
      const onIdentities = (workspace: WorkspaceId): void => {
        notices.note(workspace);
      };
      return new WarehouseDestinations({ ...access, connections, onIdentities, onError });
    },
    notify: (replica) => webhookRequests(sealsOf(replica), http),
    seal: (replica) => {
      const seals = sealsOf(replica);
      return (...text) => seals.seal(...text);
    },
    keyedHash: (text) => secrets.keyedHash(text),
    labelOf: (code) => connectors.get(code)?.label ?? code,
    onError,
  });
};

@Module({})
export class EventRouterModule {
  static on(dependencies: EventRouterDependencies): DynamicModule {
    return {
      module: EventRouterModule,
      providers: [
        { provide: IdentityNotices, useFactory: () => noticesOf(dependencies) },
        {
          provide: EventRouter,
          inject: [IdentityNotices],
          useFactory: (notices: IdentityNotices) => router(dependencies, notices),
        },
        RouterLifecycle,
      ],
    };
  }
}
