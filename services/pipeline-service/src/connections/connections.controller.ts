import type { Commands, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Connections } from './connections';

type In<Name extends keyof Commands> = Request<Commands[Name]['in']>;

/** Commands about connections. */
@Controller()
export class ConnectionsController {
  constructor(private readonly connections: Connections) {}

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
}
