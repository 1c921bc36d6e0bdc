import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { suppressionDecider, suppressionStream } from '../domain/suppression.decide';

/** Suppresses a user of the workspace, whose events are then accepted but not delivered. */
@Controller()
export class SuppressUser {
  constructor(private readonly configuration: Configuration) {}

  @Handles('SuppressUser')
  handle(@Payload() { context, in: { id } }: RequestFor<'SuppressUser'>) {
    const { workspace } = context;
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, suppressionDecider, suppressionStream(id));
      const command = { type: 'SuppressUser', user: { id, workspace } } as const;
      return {
        streams: [appendTo(own, suppressionDecider.decide(command, own.state))],
        reply: {},
        verify: (db) => notDeleted(db, workspace),
      };
    });
  }
}
