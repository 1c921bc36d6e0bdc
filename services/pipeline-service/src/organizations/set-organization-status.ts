import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { checkVersion } from '../command-handling/check-version';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { organizationDecider, organizationStream } from '../domain/organization.decide';

/** Enables or disables an organization. */
@Controller()
export class SetOrganizationStatus {
  constructor(private readonly configuration: Configuration) {}

  @Handles('SetOrganizationStatus')
  handle(@Payload() { context, in: { enabled } }: RequestFor<'SetOrganizationStatus'>) {
    const stream = organizationStream(context.organization);
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, organizationDecider, stream);
      checkVersion(context, own.version);
      const command = { type: 'SetOrganizationStatus', enabled } as const;
      const facts = organizationDecider.decide(command, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
