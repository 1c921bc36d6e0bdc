import { profilesOf, type Queries, type RequestContext } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { printType, type Schema } from '@penstock/schema';
import type { ProfilesPage } from '@penstock/warehouses';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Handles, type RequestFor } from '../command-handling/handles';
import { DataKeys } from '../data-keys/data-keys';
import { orUnavailable } from '../database/or-unavailable';
import { withinDeadline } from '../deadline/within-deadline';
import { fitting, MAX_SEALED_BYTES } from '../read-model/fitting';
import { existingWarehouse } from '../warehouse/existing-warehouse';
import { cursorAt, placeOf } from './list-cursor';
import { profileView } from './profile-view';
import { listNameOf, profilesQuery } from './profiles-query';
import { WarehouseReads } from './warehouse-reads';

type Query = Queries['ListProfiles'];

/** Lists the profiles of a workspace, page by page. */
@Controller()
export class ListProfiles {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly dataKeys: DataKeys,
    private readonly reads: WarehouseReads,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('ListProfiles')
  handle(@Payload() request: RequestFor<'ListProfiles'>, @Ctx() received: LogRequestContext) {
    const { context, in: input } = request;
    return this.slow.handle(request, received, (until) =>
      withinDeadline((signal) => this.list(context, input, signal), until),
    );
  }

  private async list(
    { workspace, organization }: RequestContext,
    input: Query['in'],
    signal: AbortSignal,
  ): Promise<Query['out']> {
    const { limit, cursor, count: isCounted } = input;
    const { warehouse } = await orUnavailable(existingWarehouse(this.store, { workspace }));
    const profiles = profilesOf(warehouse);
    const query = profilesQuery(input, profiles.schema);
    const seals = await orUnavailable(this.dataKeys.of(this.store.db, workspace));
    const list = { workspace, name: listNameOf(input, query, profiles.schema) };
    const after = cursor === '' ? undefined : placeOf(seals, list, cursor);
    const page = await this.reads.in({ workspace, organization, seals, signal }, (reader) =>
      reader.profiles({ profiles, ...query, limit, after, isCounted }, signal),
    );
    const { next, ...shown } = answerOf(page, query.properties);
    return { ...shown, cursor: next === undefined ? '' : cursorAt(seals, list, next) };
  }
}

/** As many profiles as fit into an answer beside their schema, and the place of the last one when others follow. */
const answerOf = (
  { profiles, isLast, total }: ProfilesPage,
  properties: Schema,
): Omit<Query['out'], 'cursor'> & { readonly next: string | undefined } => {
  const schema = printType(properties);
  const room = MAX_SEALED_BYTES - Buffer.byteLength(JSON.stringify(schema));
  const views = function* () {
    for (const { place, ...profile } of profiles)
      yield { place, view: profileView(profile, properties, room) };
  };
  const { items, rest } = fitting(views(), ({ view }) => view, room);
  const next = rest === undefined && isLast ? undefined : items.at(-1)?.place;
  return { profiles: items.map(({ view }) => view), schema, total, next };
};
