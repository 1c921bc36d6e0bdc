import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { DataKeys } from '../data-keys/data-keys';
import { connectionDecider } from '../domain/connection.decide';
import { EventConnections } from './event-connections';
import { sealedWriteKey } from './sealed-write-key';

/** Adds a write key to a source. The key, sealed, is the reply, so that a repeated command returns the first key. */
@Controller()
export class CreateEventWriteKey {
  constructor(
    private readonly configuration: Configuration,
    private readonly eventConnections: EventConnections,
    private readonly dataKeys: DataKeys,
  ) {}

  @Handles('CreateEventWriteKey')
  handle(@Payload() { context, in: input }: RequestFor<'CreateEventWriteKey'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await this.eventConnections.source(reading, input.connection, context);
      const key = await sealedWriteKey(reading.db, this.dataKeys, input.key, context.workspace);
      const facts = connectionDecider.decide({ type: 'CreateEventWriteKey', key }, own.state);
      return { streams: [appendTo(own, facts)], reply: { sealed: key.sealed } };
    });
  }
}
