import { Connectors, GuardedHttp } from '@penstock/connectors';
import { GuardedSockets } from '@penstock/egress';
import type { OrganizationCounts } from '@penstock/contracts';
import { EventStore, FactHistory } from '@penstock/event-sourcing';
import type { MessageLog } from '@penstock/messaging';
import { type DeliverySettings, SlowRequests } from '@penstock/platform';
import { type Logger, SecretBox, type Tracing } from '@penstock/runtime';
import { FunctionRunner } from '@penstock/transformations';
import { Warehouses } from '@penstock/warehouses';
import { tmpdir } from 'node:os';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { EntityManager } from 'typeorm';
import { AlertsModule } from './alerts/alerts.module';
import { ApplicationsModule } from './applications/applications.module';
import { AsOfModule } from './as-of/as-of.module';
import { AuditModule } from './audit/audit.module';
import { Configuration } from './command-handling/configuration';
import { LimitChecks, ORGANIZATION_LIMITS } from './command-handling/limits';
import { ConnectionDeliveries } from './connections/connection-delivery';
import { ConnectionsModule } from './connections/connections.module';
import { DataKeys } from './data-keys/data-keys';
import { HealthModule } from './health/health.module';
import { FileSpool } from './files/file-looks';
import { DatabasesModule } from './databases/databases.module';
import { FilesModule } from './files/files.module';
import { OrganizationsModule } from './organizations/organizations.module';
import { McpModule } from './mcp/mcp.module';
import { PipelinesModule } from './pipelines/pipelines.module';
import { ProfilesModule } from './profiles/profiles.module';
import { ErasuresModule } from './erasures/erasures.module';
import { ResolutionsModule } from './resolutions/resolutions.module';
import { RetriesModule } from './retries/retries.module';
import { RunsModule } from './runs/runs.module';
import { SuppressionsModule } from './suppressions/suppressions.module';
import type { FirstWarehouse } from './warehouse/first-warehouse';
import { WarehouseReadsModule } from './warehouse-reads/warehouse-reads.module';
import { WarehouseModule } from './warehouse/warehouse.module';
import { WorkspacesModule } from './workspaces/workspaces.module';

/** The dependencies of the service; the process that starts it chooses the adapters. */
export interface PipelineServiceDependencies {
  readonly log: MessageLog;
  readonly databaseUrl: string;
  /** Most connections of the pool of the service. Default 12. */
  readonly databaseConnections?: number;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  /** Sends requests to applications. */
  readonly http: GuardedHttp;
  /** Connect to databases. */
  readonly sockets: GuardedSockets;
  readonly functions: FunctionRunner;
  readonly warehouses: Warehouses;
  readonly logger: Logger;
  /** Absent where telemetry is off. */
  readonly tracing?: Tracing | undefined;
  /** Where the metrics of the service are registered; absent: it has none. */
  readonly registry?: Registry;
  /** The first API key, when the operator has set it. */
  readonly bootstrapKey?: string | undefined;
  /** Told the first API key that a start has generated which fails after it: nobody else knows the key. */
  readonly onUnshownKey?: (key: string) => void;
  /** The warehouse of the first workspace; absent: it stays as it is. */
  readonly firstWarehouse?: FirstWarehouse;
  /** Limits of each organization; default {@link ORGANIZATION_LIMITS}. */
  readonly limits?: Partial<OrganizationCounts>;
  /** Default: a retention of events of 30 days. */
  readonly delivery?: Pick<DeliverySettings, 'eventsRetentionMs'>;
  /** A folder to write to, for files that cannot be read from front to back. Default: that of the system. */
  readonly spoolFolder?: string | undefined;
}

/** The default retention of events. */
export const DEFAULT_RETENTION_MS = 30 * 86_400_000;

/** A module for each aggregate and each kind of query. */
export const FEATURES = [
  AlertsModule,
  ApplicationsModule,
  AsOfModule,
  AuditModule,
  ConnectionsModule,
  HealthModule,
  DatabasesModule,
  FilesModule,
  OrganizationsModule,
  PipelinesModule,
  ProfilesModule,
  ResolutionsModule,
  ErasuresModule,
  RetriesModule,
  RunsModule,
  SuppressionsModule,
  WarehouseModule,
  WarehouseReadsModule,
  McpModule,
  WorkspacesModule,
] as const;

/** The providers that every feature uses: the adapters and the handling of commands. */
const foundations = (
  {
    connectors,
    secrets,
    http,
    sockets,
    functions,
    warehouses,
    limits,
    delivery,
    spoolFolder = tmpdir(),
  }: PipelineServiceDependencies,
  store: EventStore<EntityManager>,
): (Provider & { readonly provide: unknown })[] => [
  { provide: EventStore, useValue: store },
  { provide: EntityManager, useValue: store.db },
  { provide: FactHistory, useValue: new FactHistory(store.db) },
  { provide: Connectors, useValue: connectors },
  { provide: GuardedHttp, useValue: http },
  { provide: GuardedSockets, useValue: sockets },
  { provide: FunctionRunner, useValue: functions },
  { provide: Warehouses, useValue: warehouses },
  { provide: SecretBox, useValue: secrets },
  { provide: LimitChecks, useValue: new LimitChecks({ ...ORGANIZATION_LIMITS, ...limits }) },
  {
    provide: ConnectionDeliveries,
    useValue: new ConnectionDeliveries(delivery?.eventsRetentionMs ?? DEFAULT_RETENTION_MS),
  },
  { provide: FileSpool, useValue: { folder: spoolFolder } satisfies FileSpool },
  { provide: SlowRequests, useValue: new SlowRequests() },
  { provide: Configuration, useClass: Configuration },
  { provide: DataKeys, useClass: DataKeys },
];

@Module({})
export class PipelineServiceModule {
  static on(
    dependencies: PipelineServiceDependencies,
    store: EventStore<EntityManager>,
  ): DynamicModule {
    const providers = foundations(dependencies, store);
    return {
      module: PipelineServiceModule,
      global: true,
      imports: [...FEATURES],
      providers,
      exports: providers.map(({ provide }) => provide as never),
    };
  }
}
