import { profilesOf } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { type PageReading, ProfilePages } from './profile-pages';
import { shownIdentities } from './shown-identities';
import { survivorOf } from './survivor';

/** Lists the identities of a profile, page by page. */
@Controller()
export class ListProfileIdentities {
  constructor(private readonly pages: ProfilePages) {}

  @Handles('ListProfileIdentities')
  handle(
    @Payload() request: RequestFor<'ListProfileIdentities'>,
    @Ctx() received: LogRequestContext,
  ) {
    return this.pages.handle(request, received, 'profile-identities', read);
  }
}

const read = async ({ reader, warehouse, profile: id, limit, after, signal }: PageReading) => {
  const profile = await survivorOf(reader, profilesOf(warehouse), id, signal);
  const page = await reader.identities({ of: { profile }, limit, after }, signal);
  const { identities, next } = shownIdentities(page);
  return { shown: { identities }, next };
};
