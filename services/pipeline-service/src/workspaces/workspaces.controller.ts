import type { Commands, Queries, Request } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { SlowRequests } from '../command-handling/slow-requests';
import { Workspaces } from './workspaces';

type In<Name extends keyof (Commands & Queries)> = Request<(Commands & Queries)[Name]['in']>;

/** Commands and queries about workspaces. */
@Controller()
export class WorkspacesController {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly slow: SlowRequests,
  ) {}

  /** Connecting to its warehouse takes up to ten seconds: nobody else waits for it. */
  @MessagePattern('CreateWorkspace', { detached: true })
  createWorkspace(
    @Payload() request: In<'CreateWorkspace'>,
    @Ctx() { deadlineMs }: LogRequestContext,
  ) {
    const command = { request, deadlineMs, line: 'commands' } as const;
    return this.slow.handle(command, () => this.workspaces.create(request));
  }

  @MessagePattern('RenameWorkspace')
  renameWorkspace(@Payload() request: In<'RenameWorkspace'>) {
    return this.workspaces.rename(request);
  }

  @MessagePattern('DeleteWorkspace')
  deleteWorkspace(@Payload() request: In<'DeleteWorkspace'>) {
    return this.workspaces.delete(request);
  }

  @MessagePattern('ListWorkspaces')
  listWorkspaces(@Payload() request: In<'ListWorkspaces'>) {
    return this.workspaces.list(request);
  }

  @MessagePattern('GetWorkspace')
  getWorkspace(@Payload() request: In<'GetWorkspace'>) {
    return this.workspaces.get(request);
  }
}
