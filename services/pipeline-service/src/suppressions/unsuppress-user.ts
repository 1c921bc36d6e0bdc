import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { suppressionDecider, suppressionStream } from '../domain/suppression.decide';

/** Ends the suppression of a user. */
@Controller()
export class UnsuppressUser {
  constructor(private readonly configuration: Configuration) {}

  @Handles('UnsuppressUser')
  handle(@Payload() { context, in: { id } }: RequestFor<'UnsuppressUser'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, suppressionDecider, suppressionStream(id));
      return {
        streams: [appendTo(own, suppressionDecider.decide({ type: 'UnsuppressUser' }, own.state))],
        reply: {},
        verify: (db) => notDeleted(db, context.workspace),
      };
    });
  }
}
