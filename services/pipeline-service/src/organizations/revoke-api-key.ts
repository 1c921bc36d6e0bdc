import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { checkVersion } from '../command-handling/check-version';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { organizationDecider, organizationStream } from '../domain/organization.decide';

/** An API key never changes between its creation and its revocation. */
const API_KEY_VERSION = 1;

/** Revokes an API key. */
@Controller()
export class RevokeApiKey {
  constructor(private readonly configuration: Configuration) {}

  @Handles('RevokeApiKey')
  handle(@Payload() { context, in: { id, within } }: RequestFor<'RevokeApiKey'>) {
    const stream = organizationStream(context.organization);
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, organizationDecider, stream);
      const facts = organizationDecider.decide({ type: 'RevokeApiKey', id, within }, own.state);
      checkVersion(context, API_KEY_VERSION);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
