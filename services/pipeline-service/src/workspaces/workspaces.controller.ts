import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { SlowRequests } from '../command-handling/slow-requests';
import { Workspaces } from './workspaces';

/** Commands about workspaces. */
@Controller()
export class WorkspacesController {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('CreateWorkspace')
  createWorkspace(
    @Payload() request: RequestFor<'CreateWorkspace'>,
    @Ctx() context: LogRequestContext,
  ) {
    return this.slow.handle(request, context, () => this.workspaces.create(request));
  }

  @Handles('RenameWorkspace')
  renameWorkspace(@Payload() request: RequestFor<'RenameWorkspace'>) {
    return this.workspaces.rename(request);
  }

  @Handles('DeleteWorkspace')
  deleteWorkspace(@Payload() request: RequestFor<'DeleteWorkspace'>) {
    return this.workspaces.delete(request);
  }
}
