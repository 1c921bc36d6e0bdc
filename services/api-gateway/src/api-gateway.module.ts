import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ConfigurationPicture } from '@penstock/contracts';
import { Health } from '@penstock/runtime';
import { ApplicationsController } from './applications/applications.controller';
import { ConnectionRecords } from './connections/connection-records';
import { ConnectionsController } from './connections/connections.controller';
import { DummyController } from './connections/dummy.controller';
import { EventWriteKeysController } from './connections/event-write-keys.controller';
import { KeptEvents } from './connections/kept-events';
import { LinksController } from './connections/links.controller';
import { WriteKeys } from './connections/write-keys';
import { ConnectorList } from './connectors/connector-list';
import { ConnectorsController } from './connectors/connectors.controller';
import { DemoController } from './demo/demo.controller';
import { DemoDestination } from './demo/demo-destination';
import { EventSchemaController } from './events/event-schema.controller';
import { HealthController } from './health/health.controller';
import { ApiKeyGuard } from './http/api-key.guard';
import { ApiKeys } from './http/api-keys';
import { ErrorFilter } from './http/error.filter';
import { JsonAnswerInterceptor } from './http/json-answer.interceptor';
import { PipelineService } from './pipeline-service/pipeline-service';
import { PipelinesController } from './pipelines/pipelines.controller';

/** What the controllers ask for, ready made. */
export interface ApiParts {
  readonly picture: ConfigurationPicture;
  readonly apiKeys: ApiKeys;
  readonly pipelineService: PipelineService;
  readonly connectors: ConnectorList;
  readonly records: ConnectionRecords;
  readonly writeKeys: WriteKeys;
  readonly keptEvents: KeptEvents;
  readonly demoDestination: DemoDestination;
  readonly health: Health;
  readonly errorFilter: ErrorFilter;
}

const providersOf = (parts: ApiParts): Provider[] => [
  { provide: ConfigurationPicture, useValue: parts.picture },
  { provide: ApiKeys, useValue: parts.apiKeys },
  { provide: PipelineService, useValue: parts.pipelineService },
  { provide: ConnectorList, useValue: parts.connectors },
  { provide: ConnectionRecords, useValue: parts.records },
  { provide: WriteKeys, useValue: parts.writeKeys },
  { provide: KeptEvents, useValue: parts.keptEvents },
  { provide: DemoDestination, useValue: parts.demoDestination },
  { provide: Health, useValue: parts.health },
  { provide: APP_FILTER, useValue: parts.errorFilter },
  { provide: APP_GUARD, useClass: ApiKeyGuard },
  { provide: APP_INTERCEPTOR, useClass: JsonAnswerInterceptor },
];

@Module({})
export class ApiGatewayModule {
  static of(parts: ApiParts): DynamicModule {
    return {
      module: ApiGatewayModule,
      controllers: [
        ConnectionsController,
        ApplicationsController,
        DummyController,
        EventWriteKeysController,
        LinksController,
        PipelinesController,
        ConnectorsController,
        EventSchemaController,
        HealthController,
        DemoController,
      ],
      providers: providersOf(parts),
    };
  }
}
