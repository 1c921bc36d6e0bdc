import type { Commands, Queries, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Organizations } from './organizations';

type In<Name extends keyof (Commands & Queries)> = Request<(Commands & Queries)[Name]['in']>;

/** Commands and queries about the organization and its keys. */
@Controller()
export class OrganizationsController {
  constructor(private readonly organizations: Organizations) {}

  @MessagePattern('CreateApiKey')
  createApiKey(@Payload() request: In<'CreateApiKey'>) {
    return this.organizations.createKey(request);
  }

  @MessagePattern('RevokeApiKey')
  revokeApiKey(@Payload() request: In<'RevokeApiKey'>) {
    return this.organizations.revokeKey(request);
  }

  @MessagePattern('SetOrganizationStatus')
  setOrganizationStatus(@Payload() request: In<'SetOrganizationStatus'>) {
    return this.organizations.setStatus(request);
  }

  @MessagePattern('ListApiKeys')
  listApiKeys(@Payload() request: In<'ListApiKeys'>) {
    return this.organizations.keys(request);
  }
}
