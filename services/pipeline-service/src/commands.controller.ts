import type { Commands, Request } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { Connections } from './connections/connections';
import { Organizations } from './organizations/organizations';
import { Pipelines } from './pipelines/pipelines';
import { Runs } from './runs/runs';
import { SlowRequests } from './slow/slow-requests';
import { Workspaces } from './workspaces/workspaces';

type In<Name extends keyof Commands> = Request<Commands[Name]['in']>;

/** A function is compiled by running it, for up to its time limit: nobody else waits for it. */
const WITH_FUNCTION = {
  detached: ({ in: { transformation } }: In<'CreatePipeline' | 'UpdatePipeline'>): boolean =>
    transformation?.includes('"function":{') ?? false,
};

/** A command in, its answer out. */
@Controller()
export class CommandsController {
  constructor(
    private readonly connections: Connections,
    private readonly pipelines: Pipelines,
    private readonly runs: Runs,
    private readonly organizations: Organizations,
    private readonly workspaces: Workspaces,
    private readonly slow: SlowRequests,
  ) {}

  @MessagePattern('CreateConnection')
  createConnection(@Payload() request: In<'CreateConnection'>) {
    return this.connections.create(request);
  }

  @MessagePattern('UpdateConnection')
  updateConnection(@Payload() request: In<'UpdateConnection'>) {
    return this.connections.update(request);
  }

  @MessagePattern('DeleteConnection')
  deleteConnection(@Payload() request: In<'DeleteConnection'>) {
    return this.connections.delete(request);
  }

  @MessagePattern('LinkConnections')
  linkConnections(@Payload() request: In<'LinkConnections'>) {
    return this.connections.link(request);
  }

  @MessagePattern('UnlinkConnections')
  unlinkConnections(@Payload() request: In<'UnlinkConnections'>) {
    return this.connections.unlink(request);
  }

  @MessagePattern('CreateEventWriteKey')
  createEventWriteKey(@Payload() request: In<'CreateEventWriteKey'>) {
    return this.connections.createWriteKey(request);
  }

  @MessagePattern('DeleteEventWriteKey')
  deleteEventWriteKey(@Payload() request: In<'DeleteEventWriteKey'>) {
    return this.connections.deleteWriteKey(request);
  }

  @MessagePattern('CreatePipeline', WITH_FUNCTION)
  createPipeline(
    @Payload() request: In<'CreatePipeline'>,
    @Ctx() { deadlineMs }: LogRequestContext,
  ) {
    if (!WITH_FUNCTION.detached(request)) return this.pipelines.create(request);
    const command = { request, deadlineMs, line: 'commands' } as const;
    return this.slow.handle(command, (signal) => this.pipelines.create(request, signal));
  }

  @MessagePattern('UpdatePipeline', WITH_FUNCTION)
  updatePipeline(
    @Payload() request: In<'UpdatePipeline'>,
    @Ctx() { deadlineMs }: LogRequestContext,
  ) {
    if (!WITH_FUNCTION.detached(request)) return this.pipelines.update(request);
    const command = { request, deadlineMs, line: 'commands' } as const;
    return this.slow.handle(command, (signal) => this.pipelines.update(request, signal));
  }

  @MessagePattern('SetPipelineStatus')
  setPipelineStatus(@Payload() request: In<'SetPipelineStatus'>) {
    return this.pipelines.setStatus(request);
  }

  @MessagePattern('DeletePipeline')
  deletePipeline(@Payload() request: In<'DeletePipeline'>) {
    return this.pipelines.delete(request);
  }

  @MessagePattern('SetSchedulePeriod')
  setSchedulePeriod(@Payload() request: In<'SetSchedulePeriod'>) {
    return this.runs.setSchedule(request);
  }

  @MessagePattern('RunPipeline')
  runPipeline(@Payload() request: In<'RunPipeline'>) {
    return this.runs.run(request);
  }

  @MessagePattern('CreateApiKey')
  createApiKey(@Payload() request: In<'CreateApiKey'>) {
    return this.organizations.createKey(request);
  }

  @MessagePattern('RevokeApiKey')
  revokeApiKey(@Payload() request: In<'RevokeApiKey'>) {
    return this.organizations.revokeKey(request);
  }

  @MessagePattern('SetOrganizationStatus')
  setOrganizationStatus(@Payload() request: In<'SetOrganizationStatus'>) {
    return this.organizations.setStatus(request);
  }

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
}
