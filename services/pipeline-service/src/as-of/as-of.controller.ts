import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { SlowRequests } from '../command-handling/slow-requests';
import { orUnavailable } from '../database/or-unavailable';
import { ConfigurationAt } from '../read-model/configuration-at';

/** Queries about objects as they were, answered from the facts: the longer a workspace has been there, the slower. */
@Controller()
export class AsOfController {
  constructor(
    private readonly configurationAt: ConfigurationAt,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('GetConnectionAsOf')
  connection(
    @Payload() request: RequestFor<'GetConnectionAsOf'>,
    @Ctx() circumstances: LogRequestContext,
  ) {
    const {
      context,
      in: { id, at },
    } = request;
    return this.slow.handle(request, circumstances, () =>
      orUnavailable(this.configurationAt.connection(id, context.workspace, at)),
    );
  }

  @Handles('GetPipelineAsOf')
  pipeline(
    @Payload() request: RequestFor<'GetPipelineAsOf'>,
    @Ctx() circumstances: LogRequestContext,
  ) {
    const {
      context,
      in: { id, at },
    } = request;
    return this.slow.handle(request, circumstances, () =>
      orUnavailable(this.configurationAt.pipeline(id, context.workspace, at)),
    );
  }

  @Handles('GetWorkspaceAsOf')
  workspace(
    @Payload() request: RequestFor<'GetWorkspaceAsOf'>,
    @Ctx() circumstances: LogRequestContext,
  ) {
    const {
      context,
      in: { id, at },
    } = request;
    return this.slow.handle(request, circumstances, () =>
      orUnavailable(this.configurationAt.workspace(id, context.organization, at)),
    );
  }

  @Handles('GetWarehouseAsOf')
  warehouse(
    @Payload() request: RequestFor<'GetWarehouseAsOf'>,
    @Ctx() circumstances: LogRequestContext,
  ) {
    const {
      context,
      in: { at },
    } = request;
    return this.slow.handle(request, circumstances, () =>
      orUnavailable(this.configurationAt.warehouse(context.workspace, at)),
    );
  }
}
