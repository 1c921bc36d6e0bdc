import { profilesOf, type Queries, type RequestContext } from '@penstock/contracts';
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
import { cursorAt, placeOf } from './list-cursor';
import { shownIdentities } from './shown-identities';
import { survivorOf } from './survivor';
import { WarehouseReads } from './warehouse-reads';

type Query = Queries['ListProfileIdentities'];

/** Lists the identities of a profile, page by page. */
@Controller()
export class ListProfileIdentities {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly dataKeys: DataKeys,
    private readonly reads: WarehouseReads,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('ListProfileIdentities')
  handle(
    @Payload() request: RequestFor<'ListProfileIdentities'>,
    @Ctx() received: LogRequestContext,
  ) {
    const { context, in: input } = request;
    return this.slow.handle(request, received, (until) =>
      withinDeadline((signal) => this.list(context, input, signal), until),
    );
  }

  private async list(
    { workspace, organization }: RequestContext,
    { profile: id, limit, cursor }: Query['in'],
    signal: AbortSignal,
  ): Promise<Query['out']> {
    const { warehouse } = await orUnavailable(existingWarehouse(this.store, { workspace }));
    const seals = await orUnavailable(this.dataKeys.of(this.store.db, workspace));
    const list = { workspace, name: `profile-identities/${id}` };
    const after = cursor === '' ? undefined : placeOf(seals, list, cursor);
    const page = await this.reads.in({ workspace, organization, seals, signal }, async (reader) => {
      const profile = await survivorOf(reader, profilesOf(warehouse), id, signal);
      return reader.identities({ of: { profile }, limit, after }, signal);
    });
    const { identities, next } = shownIdentities(page);
    return { identities, cursor: next === undefined ? '' : cursorAt(seals, list, next) };
  }
}
