import { profilesOf, type Queries, Refusal, type RequestContext } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Handles, type RequestFor } from '../command-handling/handles';
import { DataKeys } from '../data-keys/data-keys';
import { orUnavailable } from '../database/or-unavailable';
import { withinDeadline } from '../deadline/within-deadline';
import { existingWarehouse } from '../warehouse/existing-warehouse';
import { profileView } from './profile-view';
import { propertiesOf } from './profiles-query';
import { WarehouseReads } from './warehouse-reads';

type Query = Queries['GetProfile'];

/** Reads a profile, or the one that it was merged into. */
@Controller()
export class GetProfile {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly dataKeys: DataKeys,
    private readonly reads: WarehouseReads,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('GetProfile')
  handle(@Payload() request: RequestFor<'GetProfile'>, @Ctx() received: LogRequestContext) {
    const { context, in: input } = request;
    return this.slow.handle(request, received, (until) =>
      withinDeadline((signal) => this.get(context, input, signal), until),
    );
  }

  private async get(
    { workspace, organization }: RequestContext,
    { profile: id, properties: wanted }: Query['in'],
    signal: AbortSignal,
  ): Promise<Query['out']> {
    const { warehouse } = await orUnavailable(existingWarehouse(this.store, { workspace }));
    const profiles = profilesOf(warehouse);
    const properties = propertiesOf(profiles.schema, wanted);
    const seals = await orUnavailable(this.dataKeys.of(this.store.db, workspace));
    const profile = await this.reads.in({ workspace, organization, seals, signal }, (reader) =>
      reader.profile({ profiles, properties, id }, signal),
    );
    if (profile === undefined) throw new Refusal('ProfileNotExist');
    const view = profileView(profile, properties);
    return { ...view, ...(profile.id !== id && { mergedFrom: id }) };
  }
}
