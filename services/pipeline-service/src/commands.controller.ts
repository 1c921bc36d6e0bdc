import type { Commands, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Connections } from './connections/connections';
import { Pipelines } from './pipelines/pipelines';

type In<Name extends keyof Commands> = Request<Commands[Name]['in']>;

/** A command in, its answer out. */
@Controller()
export class CommandsController {
  constructor(
    private readonly connections: Connections,
    private readonly pipelines: Pipelines,
  ) {}

  @MessagePattern('CreateConnection')
  createConnection(@Payload() request: In<'CreateConnection'>) {
    return this.connections.create(request);
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

  @MessagePattern('CreatePipeline')
  createPipeline(@Payload() request: In<'CreatePipeline'>) {
    return this.pipelines.create(request);
  }

  @MessagePattern('UpdatePipeline')
  updatePipeline(@Payload() request: In<'UpdatePipeline'>) {
    return this.pipelines.update(request);
  }

  @MessagePattern('SetPipelineStatus')
  setPipelineStatus(@Payload() request: In<'SetPipelineStatus'>) {
    return this.pipelines.setStatus(request);
  }

  @MessagePattern('DeletePipeline')
  deletePipeline(@Payload() request: In<'DeletePipeline'>) {
    return this.pipelines.delete(request);
  }
}
