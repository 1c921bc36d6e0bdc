import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { orUnavailable } from '../database/or-unavailable';
import { ConfigurationAt } from './configuration-at';

type AsOf =
  | 'GetAlertAsOf'
  | 'GetConnectionAsOf'
  | 'GetPipelineAsOf'
  | 'GetWorkspaceAsOf'
  | 'GetWarehouseAsOf';

/**
 * Answers queries for objects as of a time, from the facts. They take turns: a connection may have had many pipelines.
 */
@Controller()
export class AsOfController {
  constructor(
    private readonly configurationAt: ConfigurationAt,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('GetAlertAsOf')
  alert(@Payload() request: RequestFor<'GetAlertAsOf'>, @Ctx() received: LogRequestContext) {
    return this.answer(request, received, ({ context, in: { id, at } }) =>
      this.configurationAt.alert(id, context.workspace, at),
    );
  }

  @Handles('GetConnectionAsOf')
  connection(
    @Payload() request: RequestFor<'GetConnectionAsOf'>,
    @Ctx() received: LogRequestContext,
  ) {
    return this.answer(request, received, ({ context, in: { id, at } }) =>
      this.configurationAt.connection(id, context.workspace, at),
    );
  }

  @Handles('GetPipelineAsOf')
  pipeline(@Payload() request: RequestFor<'GetPipelineAsOf'>, @Ctx() received: LogRequestContext) {
    return this.answer(request, received, ({ context, in: { id, at } }) =>
      this.configurationAt.pipeline(id, context.workspace, at),
    );
  }

  @Handles('GetWorkspaceAsOf')
  workspace(
    @Payload() request: RequestFor<'GetWorkspaceAsOf'>,
    @Ctx() received: LogRequestContext,
  ) {
    return this.answer(request, received, ({ context, in: { id, at } }) =>
      this.configurationAt.workspace(id, context.organization, at),
    );
  }

  @Handles('GetWarehouseAsOf')
  warehouse(
    @Payload() request: RequestFor<'GetWarehouseAsOf'>,
    @Ctx() received: LogRequestContext,
  ) {
    return this.answer(request, received, ({ context, in: { at } }) =>
      this.configurationAt.warehouse(context.workspace, at),
    );
  }

  private answer<Name extends AsOf, Out>(
    request: RequestFor<Name>,
    received: LogRequestContext,
    find: (request: RequestFor<Name>) => Promise<Out>,
  ): Promise<Out> {
    return this.slow.handle(request, received, () => orUnavailable(find(request)));
  }
}
