import type { Queries, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { ConnectionHistories } from './connection-history';

/** Asked by services, never on behalf of a user. */
@Controller()
export class ConnectionHistoryController {
  constructor(private readonly histories: ConnectionHistories) {}

  @MessagePattern('ConnectionStates')
  states(@Payload() request: Request<Queries['ConnectionStates']['in']>) {
    return this.histories.states(request);
  }
}
