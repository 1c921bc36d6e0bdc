import { profilesOf, resolutionSettingsOf } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { type PageReading, ProfilePages } from './profile-pages';
import { shownLinks } from './shown-links';
import { survivorOf } from './survivor';

/** Lists by what the identities of a profile are joined, page by page. */
@Controller()
export class ListProfileLinks {
  constructor(private readonly pages: ProfilePages) {}

  @Handles('ListProfileLinks')
  handle(@Payload() request: RequestFor<'ListProfileLinks'>, @Ctx() received: LogRequestContext) {
    return this.pages.handle(request, received, 'profile-links', read);
  }
}

const read = async ({ reader, warehouse, profile: id, limit, after, signal }: PageReading) => {
  const profile = await survivorOf(reader, profilesOf(warehouse), id, signal);
  const { identifiers } = resolutionSettingsOf(warehouse);
  const { links, next } = shownLinks(
    await reader.links({ profile, identifiers, limit, after }, signal),
  );
  return { shown: { links }, next };
};
