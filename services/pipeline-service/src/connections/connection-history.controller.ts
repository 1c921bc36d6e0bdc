import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { ConnectionHistories } from './connection-history';

/** Asked by services, never on behalf of a user. */
@Controller()
export class ConnectionHistoryController {
  constructor(private readonly histories: ConnectionHistories) {}

  @Handles('ConnectionStates')
  states(@Payload() request: RequestFor<'ConnectionStates'>) {
    return this.histories.states(request);
  }
}
