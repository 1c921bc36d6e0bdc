import type { Queries, RequestContext } from '@penstock/contracts';
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
import { digestOf } from './digest';
import { eventsQuery } from './events-query';
import { cursorAt, placeOf } from './list-cursor';
import { shownEvents } from './shown-events';
import { WarehouseReads } from './warehouse-reads';

type Query = Queries['ListEvents'];

/** Lists the events of a workspace, page by page. */
@Controller()
export class ListEvents {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly dataKeys: DataKeys,
    private readonly reads: WarehouseReads,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('ListEvents')
  handle(@Payload() request: RequestFor<'ListEvents'>, @Ctx() received: LogRequestContext) {
    const { context, in: input } = request;
    return this.slow.handle(request, received, (until) =>
      withinDeadline((signal) => this.list(context, input, signal), until),
    );
  }

  private async list(
    { workspace, organization }: RequestContext,
    { limit, cursor, ...input }: Query['in'],
    signal: AbortSignal,
  ): Promise<Query['out']> {
    const { query, told } = eventsQuery(input);
    const seals = await orUnavailable(this.dataKeys.of(this.store.db, workspace));
    const list = { workspace, name: `events/${digestOf(told)}` };
    const after = cursor === '' ? undefined : placeOf(seals, list, cursor);
    const page = await this.reads.in({ workspace, organization, seals, signal }, (reader) =>
      reader.events({ ...query, limit, after }, signal),
    );
    const { events, next } = shownEvents(page, query.properties);
    return { events, cursor: next === undefined ? '' : cursorAt(seals, list, next) };
  }
}
