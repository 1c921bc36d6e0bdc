import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Organizations } from './organizations';

/** The organization and its keys. */
@Controller()
export class OrganizationsController {
  constructor(private readonly organizations: Organizations) {}

  @Handles('GetOrganization')
  get(@Payload() request: RequestFor<'GetOrganization'>) {
    return this.organizations.get(request);
  }

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
}
