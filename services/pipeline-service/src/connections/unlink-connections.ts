import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { connectionDecider } from '../domain/connection.decide';
import { present } from './connection.checks';
import { EventConnections } from './event-connections';

/** Removes the link between a source and a destination; the link belongs to the source. */
@Controller()
export class UnlinkConnections {
  constructor(
    private readonly configuration: Configuration,
    private readonly eventConnections: EventConnections,
  ) {}

  @Handles('UnlinkConnections')
  handle(@Payload() { context, in: link }: RequestFor<'UnlinkConnections'>) {
    return this.configuration.execute(context, async (reading) => {
      const { source, destination } = await this.eventConnections.endsOf(reading, link, context);
      const command = { type: 'UnlinkConnections', destination } as const;
      return {
        streams: [appendTo(source, connectionDecider.decide(command, source.state))],
        reply: {},
        verify: present(link.source, link.destination),
      };
    });
  }
}
