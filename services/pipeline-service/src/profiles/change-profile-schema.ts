import type { Commands } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { outcomeOf } from '../command-handling/outcome-of';
import { ProfileChanges } from './profile-changes';

type Changed = Commands['ChangeProfileSchema']['out'];

/** Changes the schema of profiles. */
@Controller()
export class ChangeProfileSchema {
  constructor(
    private readonly configuration: Configuration,
    private readonly store: EventStore<EntityManager>,
    private readonly changes: ProfileChanges,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('ChangeProfileSchema')
  handle(
    @Payload() request: RequestFor<'ChangeProfileSchema'>,
    @Ctx() received: LogRequestContext,
  ) {
    const { context, in: input } = request;
    return this.slow.handle(request, received, async (signal) => {
      // One that was executed is not performed again: the schema may have been changed since.
      const isKnown = (await this.store.replyTo(context.commandId)) !== undefined;
      const changed = await outcomeOf(() =>
        isKnown ? Promise.resolve([]) : this.changes.change(context, input, signal),
      );
      return this.configuration.execute<Changed>(context, () => {
        const affected = changed();
        return Promise.resolve({
          streams: [],
          reply: { affectedPipelines: affected },
          verify: (db) => notDeleted(db, context.workspace),
        });
      });
    });
  }
}
