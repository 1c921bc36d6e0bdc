import type { Connectors } from '@penstock/connectors';
import type { EventStore } from '@penstock/event-sourcing';
import type { MessageLog } from '@penstock/messaging';
import type { Logger, SecretBox } from '@penstock/runtime';
import type { FunctionRunner } from '@penstock/transformations';
import { type DynamicModule, Module } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommandsController } from './commands.controller';
import { Configuration } from './configuration';
import { Connections } from './connections/connections';
import { Pipelines } from './pipelines/pipelines';
import { Queries } from './queries';
import { QueriesController } from './queries.controller';

/** What the service is built on; the one who starts it chooses the adapters. */
export interface PipelineServiceDependencies {
  readonly log: MessageLog;
  readonly databaseUrl: string;
  readonly connectors: Connectors;
  readonly secrets: SecretBox;
  readonly functions: FunctionRunner;
  readonly logger: Logger;
  /** The first API key, when the operator has set it. */
  readonly bootstrapKey?: string | undefined;
}

const provided = (
  { connectors, secrets, functions }: PipelineServiceDependencies,
  store: EventStore<EntityManager>,
) => {
  const configuration = new Configuration(store);
  return [
    {
      provide: Connections,
      useValue: new Connections(configuration, connectors, secrets),
    },
    {
      provide: Pipelines,
      useValue: new Pipelines(configuration, connectors, secrets, functions),
    },
    { provide: Queries, useValue: new Queries(store.db) },
  ];
};

@Module({})
export class PipelineServiceModule {
  static on(
    dependencies: PipelineServiceDependencies,
    store: EventStore<EntityManager>,
  ): DynamicModule {
    return {
      module: PipelineServiceModule,
      controllers: [CommandsController, QueriesController],
      providers: provided(dependencies, store),
    };
  }
}
