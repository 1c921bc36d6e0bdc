import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { Connectors } from '@penstock/connectors';
import { ConfigurationReplica } from '@penstock/contracts';
import { Health } from '@penstock/runtime';
import { Warehouses } from '@penstock/warehouses';
import { ApplicationsController } from './applications/applications.controller';
import { AuditController } from './audit/audit.controller';
import { AuditedStates } from './audit/audited-states';
import { ApiKeyGuard } from './auth/api-key.guard';
import { ApiKeys } from './auth/api-keys';
import { ConnectionRecords } from './connections/connection-records';
import { ConnectionsController } from './connections/connections.controller';
import { DummyController } from './connections/dummy.controller';
import { EventWriteKeysController } from './connections/event-write-keys.controller';
import { KeptEvents } from './connections/kept-events';
import { LinksController } from './connections/links.controller';
import { WriteKeys } from './connections/write-keys';
import { ConnectorsController } from './connectors/connectors.controller';
import { Demo } from './demo/demo';
import { DemoController } from './demo/demo.controller';
import { StartController } from './demo/start.controller';
import { EventSchemaController } from './events/event-schema.controller';
import { HealthController } from './health/health.controller';
import { BodyShares } from './http/body-shares';
import { ErrorFilter } from './http/error.filter';
import { KeysController } from './keys/keys.controller';
import { NewKeys } from './keys/new-key';
import { DocumentController } from './openapi/document.controller';
import { OrganizationController } from './organization/organization.controller';
import { PipelineService } from './pipeline-service/pipeline-service';
import { PipelinesController } from './pipelines/pipelines.controller';
import { ApiRates } from './rates/api-rates';
import { RateGuard } from './rates/rate.guard';
import { CurrentReplica } from './replica/current-replica';
import { IdempotentRequests } from './retries/idempotent-requests';
import { Reads } from './reads/reads';
import { PipelineRunsController } from './runs/pipeline-runs.controller';
import { RunsController } from './runs/runs.controller';
import { UserHash } from './users/user-hash';
import { UsersController } from './users/users.controller';
import { ContentGuard } from './validation/content.guard';
import { QueryGuard } from './validation/query.guard';
import { WarehouseRecords } from './warehouse/warehouse-records';
import { WarehouseController } from './warehouse/warehouse.controller';
import { CurrentWorkspaceController } from './workspaces/current-workspace.controller';
import { WorkspacesController } from './workspaces/workspaces.controller';

/** Objects that are created before the module and injected into controllers, guards and interceptors. */
export interface ApiParts {
  readonly replica: ConfigurationReplica;
  readonly current: CurrentReplica;
  readonly shares: BodyShares;
  readonly apiKeys: ApiKeys;
  readonly newKeys: NewKeys;
  readonly apiRates: ApiRates;
  readonly requests: IdempotentRequests;
  readonly pipelineService: PipelineService;
  readonly connectors: Connectors;
  readonly records: ConnectionRecords;
  readonly auditedStates: AuditedStates;
  readonly userHash: UserHash;
  readonly writeKeys: WriteKeys;
  readonly warehouses: Warehouses;
  readonly warehouseRecords: WarehouseRecords;
  readonly keptEvents: KeptEvents;
  readonly demo: Demo;
  readonly health: Health;
  readonly errorFilter: ErrorFilter;
}

/** Lists the module's providers. Guards run in this order, which is the order of the checks. */
const providersOf = (parts: ApiParts): Provider[] => [
  { provide: ConfigurationReplica, useValue: parts.replica },
  { provide: CurrentReplica, useValue: parts.current },
  Reads,
  { provide: BodyShares, useValue: parts.shares },
  { provide: ApiKeys, useValue: parts.apiKeys },
  { provide: NewKeys, useValue: parts.newKeys },
  { provide: ApiRates, useValue: parts.apiRates },
  { provide: IdempotentRequests, useValue: parts.requests },
  { provide: PipelineService, useValue: parts.pipelineService },
  { provide: Connectors, useValue: parts.connectors },
  { provide: UserHash, useValue: parts.userHash },
  { provide: AuditedStates, useValue: parts.auditedStates },
  { provide: ConnectionRecords, useValue: parts.records },
  { provide: WriteKeys, useValue: parts.writeKeys },
  { provide: Warehouses, useValue: parts.warehouses },
  { provide: WarehouseRecords, useValue: parts.warehouseRecords },
  { provide: KeptEvents, useValue: parts.keptEvents },
  { provide: Demo, useValue: parts.demo },
  { provide: Health, useValue: parts.health },
  { provide: APP_FILTER, useValue: parts.errorFilter },
  { provide: APP_GUARD, useClass: ApiKeyGuard },
  { provide: APP_GUARD, useClass: RateGuard },
  { provide: APP_GUARD, useValue: new ContentGuard(parts.shares.api) },
  { provide: APP_GUARD, useClass: QueryGuard },
];

/** The controllers of the API. */
export const CONTROLLERS: readonly Type<object>[] = [
  ConnectionsController,
  ApplicationsController,
  DummyController,
  EventWriteKeysController,
  LinksController,
  RunsController,
  PipelineRunsController,
  PipelinesController,
  KeysController,
  OrganizationController,
  WorkspacesController,
  CurrentWorkspaceController,
  WarehouseController,
  AuditController,
  UsersController,
  ConnectorsController,
  EventSchemaController,
  DocumentController,
  HealthController,
  DemoController,
  StartController,
];

@Module({})
export class ApiGatewayModule {
  static of(parts: ApiParts): DynamicModule {
    return {
      module: ApiGatewayModule,
      controllers: [...CONTROLLERS],
      providers: providersOf(parts),
    };
  }
}
