import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Queries } from './queries';

/** Queries about connections and pipelines, answered from the views. */
@Controller()
export class QueriesController {
  constructor(private readonly queries: Queries) {}

  @Handles('GetConnection')
  connection(@Payload() request: RequestFor<'GetConnection'>) {
    return this.queries.connection(request);
  }

  @Handles('ListConnections')
  connections(@Payload() request: RequestFor<'ListConnections'>) {
    return this.queries.connections(request);
  }

  @Handles('ListEventWriteKeys')
  writeKeys(@Payload() request: RequestFor<'ListEventWriteKeys'>) {
    return this.queries.writeKeys(request);
  }

  @Handles('GetPipeline')
  pipeline(@Payload() request: RequestFor<'GetPipeline'>) {
    return this.queries.pipeline(request);
  }

  @Handles('ListPipelines')
  pipelines(@Payload() request: RequestFor<'ListPipelines'>) {
    return this.queries.pipelines(request);
  }
}
