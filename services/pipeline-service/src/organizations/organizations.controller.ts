import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Organizations } from './organizations';

/** Commands and queries about the organization and its keys. */
@Controller()
export class OrganizationsController {
  constructor(private readonly organizations: Organizations) {}

  @Handles('CreateApiKey')
  createApiKey(@Payload() request: RequestFor<'CreateApiKey'>) {
    return this.organizations.createKey(request);
  }

  @Handles('RevokeApiKey')
  revokeApiKey(@Payload() request: RequestFor<'RevokeApiKey'>) {
    return this.organizations.revokeKey(request);
  }

  @Handles('SetOrganizationStatus')
  setOrganizationStatus(@Payload() request: RequestFor<'SetOrganizationStatus'>) {
    return this.organizations.setStatus(request);
  }

  @Handles('ListApiKeys')
  listApiKeys(@Payload() request: RequestFor<'ListApiKeys'>) {
    return this.organizations.keys(request);
  }
}
