import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { Connectors } from '@penstock/connectors';
import { ConfigurationReplica } from '@penstock/contracts';
import { Health, Seals, SecretBox } from '@penstock/runtime';
import { Warehouses } from '@penstock/warehouses';
import { AlertsModule } from './alerts/alerts.module';
import { ApplicationsModule } from './applications/applications.module';
import { AuditModule } from './audit/audit.module';
import { ApiKeyGuard } from './auth/api-key.guard';
import { ApiKeys } from './auth/api-keys';
import { ConnectionsModule } from './connections/connections.module';
import { KeptEvents } from './connections/kept-events';
import { ConnectorsModule } from './connectors/connectors.module';
import { DatabasesModule } from './databases/databases.module';
import { DeliveriesModule } from './deliveries/deliveries.module';
import { Demo } from './demo/demo';
import { DemoModule } from './demo/demo.module';
import { EventsModule } from './events/events.module';
import { FilesModule } from './files/files.module';
import { HealthModule } from './health/health.module';
import { BodyShares } from './http/body-shares';
import { ErrorFilter } from './http/error.filter';
import { KeysModule } from './keys/keys.module';
import { LiveTail } from './live/live-tail';
import { LiveModule } from './live/live.module';
import { McpModule } from './mcp/mcp.module';
import { MetricsModule } from './metrics/metrics.module';
import { OpenApiModule } from './openapi/openapi.module';
import { OrganizationModule } from './organization/organization.module';
import { PipelineService } from './pipeline-service/pipeline-service';
import { PipelinesModule } from './pipelines/pipelines.module';
import { ProfilesModule } from './profiles/profiles.module';
import { ApiRates } from './rates/api-rates';
import { RateGuard } from './rates/rate.guard';
import { Reads } from './reads/reads';
import { RefusedEventsModule } from './refused-events/refused-events.module';
import { ReplaysModule } from './replays/replays.module';
import { CurrentReplica } from './replica/current-replica';
import { IdempotentRequests } from './retries/idempotent-requests';
import { ErasuresModule } from './erasures/erasures.module';
import { ResolutionsModule } from './resolutions/resolutions.module';
import { RunsModule } from './runs/runs.module';
import { UsersModule } from './users/users.module';
import { ContentGuard } from './validation/content.guard';
import { QueryGuard } from './validation/query.guard';
import { WarehouseModule } from './warehouse/warehouse.module';
import { WorkspacesModule } from './workspaces/workspaces.module';

/** The adapters and shared objects that the API is created on. */
export interface ApiParts {
  readonly current: CurrentReplica;
  readonly shares: BodyShares;
  readonly apiRates: ApiRates;
  readonly requests: IdempotentRequests;
  readonly pipelineService: PipelineService;
  readonly connectors: Connectors;
  readonly warehouses: Warehouses;
  readonly secrets: SecretBox;
  readonly seals: Seals;
  readonly keptEvents: KeptEvents;
  readonly demo: Demo;
  readonly live: LiveTail;
  readonly health: Health;
  readonly errorFilter: ErrorFilter;
}

/** A module for each area of the API, in the order of the document. */
const FEATURES = [
  ConnectionsModule,
  ApplicationsModule,
  DatabasesModule,
  FilesModule,
  RunsModule,
  DeliveriesModule,
  LiveModule,
  MetricsModule,
  RefusedEventsModule,
  PipelinesModule,
  ProfilesModule,
  ResolutionsModule,
  ErasuresModule,
  ReplaysModule,
  AlertsModule,
  KeysModule,
  OrganizationModule,
  WorkspacesModule,
  WarehouseModule,
  AuditModule,
  UsersModule,
  ConnectorsModule,
  EventsModule,
  McpModule,
  OpenApiModule,
  HealthModule,
  DemoModule,
] as const;

/** The controllers of the API. */
export const CONTROLLERS: readonly Type<object>[] = FEATURES.flatMap(
  (feature) => Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, feature) as Type<object>[],
);

/** What every area uses. */
const foundations = (parts: ApiParts): (Provider & { readonly provide: unknown })[] => [
  { provide: CurrentReplica, useValue: parts.current },
  { provide: ConfigurationReplica, useValue: parts.current.replica },
  { provide: BodyShares, useValue: parts.shares },
  { provide: ApiRates, useValue: parts.apiRates },
  { provide: IdempotentRequests, useValue: parts.requests },
  { provide: PipelineService, useValue: parts.pipelineService },
  { provide: Connectors, useValue: parts.connectors },
  { provide: Warehouses, useValue: parts.warehouses },
  { provide: SecretBox, useValue: parts.secrets },
  { provide: Seals, useValue: parts.seals },
  { provide: KeptEvents, useValue: parts.keptEvents },
  { provide: Demo, useValue: parts.demo },
  { provide: LiveTail, useValue: parts.live },
  { provide: Health, useValue: parts.health },
  { provide: ErrorFilter, useValue: parts.errorFilter },
  { provide: Reads, useClass: Reads },
  { provide: ApiKeys, useClass: ApiKeys },
];

/** Guards run in this order, which is the order of the checks. */
const GUARDS = [ApiKeyGuard, RateGuard, ContentGuard, QueryGuard] as const;

@Module({})
export class ApiGatewayModule {
  static of(parts: ApiParts): DynamicModule {
    const shared = foundations(parts);
    return {
      module: ApiGatewayModule,
      global: true,
      imports: [...FEATURES],
      providers: [
        ...shared,
        { provide: APP_FILTER, useValue: parts.errorFilter },
        ...GUARDS.map((useClass) => ({ provide: APP_GUARD, useClass })),
      ],
      exports: shared.map(({ provide }) => provide as never),
    };
  }
}
