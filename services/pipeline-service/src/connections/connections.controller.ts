import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Connections } from './connections';

/** Commands about connections. */
@Controller()
export class ConnectionsController {
  constructor(private readonly connections: Connections) {}

  @Handles('CreateConnection')
  createConnection(@Payload() request: RequestFor<'CreateConnection'>) {
    return this.connections.create(request);
  }

  @Handles('UpdateConnection')
  updateConnection(@Payload() request: RequestFor<'UpdateConnection'>) {
    return this.connections.update(request);
  }

  @Handles('DeleteConnection')
  deleteConnection(@Payload() request: RequestFor<'DeleteConnection'>) {
    return this.connections.delete(request);
  }

  @Handles('LinkConnections')
  linkConnections(@Payload() request: RequestFor<'LinkConnections'>) {
    return this.connections.link(request);
  }

  @Handles('UnlinkConnections')
  unlinkConnections(@Payload() request: RequestFor<'UnlinkConnections'>) {
    return this.connections.unlink(request);
  }

  @Handles('CreateEventWriteKey')
  createEventWriteKey(@Payload() request: RequestFor<'CreateEventWriteKey'>) {
    return this.connections.createWriteKey(request);
  }

  @Handles('DeleteEventWriteKey')
  deleteEventWriteKey(@Payload() request: RequestFor<'DeleteEventWriteKey'>) {
    return this.connections.deleteWriteKey(request);
  }
}
