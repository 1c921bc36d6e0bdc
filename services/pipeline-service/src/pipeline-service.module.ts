import type { Connectors, GuardedHttp } from '@penstock/connectors';
import { type EventStore, FactHistory } from '@penstock/event-sourcing';
import type { MessageLog } from '@penstock/messaging';
import type { DeliverySettings } from '@penstock/platform';
import type { Logger, SecretBox } from '@penstock/runtime';
import type { FunctionRunner } from '@penstock/transformations';
import type { Warehouses } from '@penstock/warehouses';
import { type DynamicModule, Module } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApplicationUsers } from './applications/application-users';
import { Applications } from './applications/applications';
import { ApplicationsController } from './applications/applications.controller';
import { EventTypes } from './applications/event-types';
import { SendEventPreviews } from './applications/send-event-previews';
import { Audit } from './audit/audit';
import { AuditController } from './audit/audit.controller';
import { Configuration } from './command-handling/configuration';
import {
  LimitChecks,
  ORGANIZATION_LIMITS,
  type OrganizationLimits,
} from './command-handling/limits';
import { SlowRequests } from './command-handling/slow-requests';
import { ConnectionDeliveries } from './connections/connection-delivery';
import { ConnectionHistories } from './connections/connection-history';
import { ConnectionHistoryController } from './connections/connection-history.controller';
import { ConnectionSettings } from './connections/connection-settings';
import { Connections } from './connections/connections';
import { ConnectionsController } from './connections/connections.controller';
import { DataKeys } from './data-keys/data-keys';
import { Organizations } from './organizations/organizations';
import { OrganizationsController } from './organizations/organizations.controller';
import { Pipelines } from './pipelines/pipelines';
import { PipelinesController } from './pipelines/pipelines.controller';
import { Queries } from './queries/queries';
import { QueriesController } from './queries/queries.controller';
import { ConfigurationAt } from './read-model/configuration-at';
import { Retries } from './retries/retries';
import { RetriesController } from './retries/retries.controller';
import { Runs } from './runs/runs';
import { RunsController } from './runs/runs.controller';
import { Suppressions } from './suppressions/suppressions';
import { SuppressionsController } from './suppressions/suppressions.controller';
import type { FirstWarehouse } from './warehouse/first-warehouse';
import { WarehouseChecks } from './warehouse/warehouse-checks';
import { WarehouseController } from './warehouse/warehouse.controller';
import { WorkspaceWarehouses } from './warehouse/workspace-warehouses';
import { Workspaces } from './workspaces/workspaces';
import { WorkspacesController } from './workspaces/workspaces.controller';

/** What the service is built on; the one who starts it chooses the adapters. */
export interface PipelineServiceDependencies {
  readonly log: MessageLog;
  readonly databaseUrl: string;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  /** The way to applications. */
  readonly http: GuardedHttp;
  readonly functions: FunctionRunner;
  readonly warehouses: Warehouses;
  readonly logger: Logger;
  /** The first API key, when the operator has set it. */
  readonly bootstrapKey?: string | undefined;
  /** Of the first workspace; absent: as it is. */
  readonly firstWarehouse?: FirstWarehouse;
  /** Of each organization; default {@link ORGANIZATION_LIMITS}. */
  readonly limits?: Partial<OrganizationLimits>;
  /** Absent: events are kept for 30 days. */
  readonly delivery?: Pick<DeliverySettings, 'eventsRetentionMs'>;
}

const DEFAULT_RETENTION_MS = 30 * 86_400_000;

const provided = (
  {
    connectors,
    secrets,
    http,
    functions,
    warehouses,
    ...dependencies
  }: PipelineServiceDependencies,
  store: EventStore<EntityManager>,
) => {
  const configuration = new Configuration(store);
  const dataKeys = new DataKeys(secrets);
  const settings = new ConnectionSettings(dataKeys);
  const applications = new Applications(store.db, connectors, settings);
  const history = new FactHistory(store.db);
  const configurationAt = new ConfigurationAt(history);
  const limits = new LimitChecks({ ...ORGANIZATION_LIMITS, ...dependencies.limits });
  const { eventsRetentionMs = DEFAULT_RETENTION_MS } = dependencies.delivery ?? {};
  const deliveries = new ConnectionDeliveries(eventsRetentionMs);
  const warehouseChecks = new WarehouseChecks(warehouses);
  return [
    {
      provide: Connections,
      useValue: new Connections(configuration, connectors, settings, dataKeys, limits, deliveries),
    },
    {
      provide: Pipelines,
      useValue: new Pipelines(configuration, connectors, settings, functions, limits),
    },
    { provide: Runs, useValue: new Runs(configuration) },
    { provide: Organizations, useValue: new Organizations(configuration, store, limits) },
    {
      provide: Workspaces,
      useValue: new Workspaces(
        configuration,
        store.db,
        limits,
        warehouseChecks,
        dataKeys,
        configurationAt,
      ),
    },
    {
      provide: WorkspaceWarehouses,
      useValue: new WorkspaceWarehouses(
        configuration,
        store,
        warehouseChecks,
        dataKeys,
        configurationAt,
      ),
    },
    { provide: EventTypes, useValue: new EventTypes(applications) },
    { provide: ApplicationUsers, useValue: new ApplicationUsers(applications, http) },
    { provide: SendEventPreviews, useValue: new SendEventPreviews(applications, functions) },
    { provide: ConnectionHistories, useValue: new ConnectionHistories(history) },
    { provide: Queries, useValue: new Queries(store.db, configurationAt) },
    { provide: Suppressions, useValue: new Suppressions(configuration) },
    { provide: Audit, useValue: new Audit(history) },
    { provide: Retries, useValue: new Retries(store.db) },
    { provide: SlowRequests, useValue: new SlowRequests() },
  ];
};

/** Handlers of every operation. */
export const CONTROLLERS = [
  ConnectionsController,
  OrganizationsController,
  PipelinesController,
  RunsController,
  WorkspacesController,
  QueriesController,
  ApplicationsController,
  AuditController,
  ConnectionHistoryController,
  SuppressionsController,
  RetriesController,
  WarehouseController,
] as const;

@Module({})
export class PipelineServiceModule {
  static on(
    dependencies: PipelineServiceDependencies,
    store: EventStore<EntityManager>,
  ): DynamicModule {
    return {
      module: PipelineServiceModule,
      controllers: [...CONTROLLERS],
      providers: provided(dependencies, store),
    };
  }
}
