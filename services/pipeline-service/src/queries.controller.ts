import type { Queries as Contract, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Organizations } from './organizations/organizations';
import { Queries } from './queries';
import { Workspaces } from './workspaces/workspaces';

type In<Name extends keyof Contract> = Request<Contract[Name]['in']>;

/** A question in, the answer of the views out. */
@Controller()
export class QueriesController {
  constructor(
    private readonly queries: Queries,
    private readonly organizations: Organizations,
    private readonly allWorkspaces: Workspaces,
  ) {}

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

  @MessagePattern('ListApiKeys')
  apiKeys(@Payload() request: In<'ListApiKeys'>) {
    return this.organizations.keys(request);
  }

  @MessagePattern('ListWorkspaces')
  workspaces(@Payload() request: In<'ListWorkspaces'>) {
    return this.allWorkspaces.list(request);
  }

  @MessagePattern('GetWorkspace')
  workspace(@Payload() request: In<'GetWorkspace'>) {
    return this.allWorkspaces.get(request);
  }
}
