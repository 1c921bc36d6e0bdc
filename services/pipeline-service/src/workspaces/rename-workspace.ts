import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { checkVersion } from '../command-handling/check-version';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { existingWorkspace } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { workspaceDecider } from '../domain/workspace.decide';

/** Renames a workspace. */
@Controller()
export class RenameWorkspace {
  constructor(private readonly configuration: Configuration) {}

  @Handles('RenameWorkspace')
  handle(@Payload() { context, in: { id, name } }: RequestFor<'RenameWorkspace'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await existingWorkspace(reading, id, context.organization);
      checkVersion(context, own.version);
      const facts = workspaceDecider.decide({ type: 'RenameWorkspace', name }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
