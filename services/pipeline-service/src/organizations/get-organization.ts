import type { OrganizationView } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { LimitChecks } from '../command-handling/limits';
import { organizationDecider, organizationStream } from '../domain/organization.decide';

/** Returns an organization with its limits and how much of each it uses. */
@Controller()
export class GetOrganization {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly limits: LimitChecks,
  ) {}

  @Handles('GetOrganization')
  async handle(
    @Payload() { context: { organization } }: RequestFor<'GetOrganization'>,
  ): Promise<OrganizationView> {
    const stream = organizationStream(organization);
    const { state, version } = await load(this.store, organizationDecider, stream);
    if (state === null) throw new Error('the organization of the request does not exist');
    const { id, name, enabled, apiKeys } = state;
    const use = await this.limits.counts(this.store.db, id);
    const { limits } = this.limits;
    return { id, version, name, enabled, limits, use: { ...use, keys: apiKeys.length } };
  }
}
