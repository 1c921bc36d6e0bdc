import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { existingWorkspace, notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { LimitChecks } from '../command-handling/limits';
import { organizationDecider, organizationStream } from '../domain/organization.decide';

/** Creates an API key of the organization or of one of its workspaces. */
@Controller()
export class CreateApiKey {
  constructor(
    private readonly configuration: Configuration,
    private readonly limits: LimitChecks,
  ) {}

  @Handles('CreateApiKey')
  handle(@Payload() { context, in: key }: RequestFor<'CreateApiKey'>) {
    const { organization } = context;
    const { workspace } = key;
    const { keys: maxKeys } = this.limits.limits;
    return this.configuration.execute(context, async (reading) => {
      if (workspace !== null) await existingWorkspace(reading, workspace, organization);
      const own = await load(reading, organizationDecider, organizationStream(organization));
      const facts = organizationDecider.decide({ type: 'CreateApiKey', key, maxKeys }, own.state);
      return {
        streams: [appendTo(own, facts)],
        reply: { id: key.id },
        verify: async (db) => {
          if (workspace !== null) await notDeleted(db, workspace);
        },
      };
    });
  }
}
