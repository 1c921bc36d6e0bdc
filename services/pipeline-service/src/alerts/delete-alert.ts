import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { alertDecider } from '../domain/alert.decide';
import { existingAlert } from './existing-alert';

/** Deletes an alert. */
@Controller()
export class DeleteAlert {
  constructor(private readonly configuration: Configuration) {}

  @Handles('DeleteAlert')
  handle(@Payload() { context, in: { id } }: RequestFor<'DeleteAlert'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await existingAlert(reading, id, context);
      const facts = alertDecider.decide({ type: 'DeleteAlert' }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
