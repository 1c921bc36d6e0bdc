import type { Queries as Contract, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Queries } from './queries';

type In<Name extends keyof Contract> = Request<Contract[Name]['in']>;

/** Queries about connections and pipelines, answered from the views. */
@Controller()
export class QueriesController {
  constructor(private readonly queries: Queries) {}

  @MessagePattern('GetConnection')
  connection(@Payload() request: In<'GetConnection'>) {
    return this.queries.connection(request);
  }

  @MessagePattern('ListConnections')
  connections(@Payload() request: In<'ListConnections'>) {
    return this.queries.connections(request);
  }

  @MessagePattern('ListEventWriteKeys')
  writeKeys(@Payload() request: In<'ListEventWriteKeys'>) {
    return this.queries.writeKeys(request);
  }

  @MessagePattern('GetPipeline')
  pipeline(@Payload() request: In<'GetPipeline'>) {
    return this.queries.pipeline(request);
  }

  @MessagePattern('ListPipelines')
  pipelines(@Payload() request: In<'ListPipelines'>) {
    return this.queries.pipelines(request);
  }
}
