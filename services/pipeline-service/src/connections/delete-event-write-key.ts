import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { connectionDecider } from '../domain/connection.decide';
import { EventConnections } from './event-connections';

/** Removes a write key from a source. */
@Controller()
export class DeleteEventWriteKey {
  constructor(
    private readonly configuration: Configuration,
    private readonly eventConnections: EventConnections,
  ) {}

  @Handles('DeleteEventWriteKey')
  handle(@Payload() { context, in: { connection, hash } }: RequestFor<'DeleteEventWriteKey'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await this.eventConnections.source(reading, connection, context);
      const facts = connectionDecider.decide({ type: 'DeleteEventWriteKey', hash }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
