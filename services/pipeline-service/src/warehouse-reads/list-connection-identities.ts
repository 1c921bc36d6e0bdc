import type { Queries, RequestContext } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Handles, type RequestFor } from '../command-handling/handles';
import { existingConnection } from '../connections/existing-connection';
import { DataKeys } from '../data-keys/data-keys';
import { orUnavailable } from '../database/or-unavailable';
import { withinDeadline } from '../deadline/within-deadline';
import { cursorAt, placeOf } from './list-cursor';
import { shownIdentities } from './shown-identities';
import { WarehouseReads } from './warehouse-reads';

type Query = Queries['ListConnectionIdentities'];

/** Lists the identities of a connection, page by page. */
@Controller()
export class ListConnectionIdentities {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly dataKeys: DataKeys,
    private readonly reads: WarehouseReads,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('ListConnectionIdentities')
  handle(
    @Payload() request: RequestFor<'ListConnectionIdentities'>,
    @Ctx() received: LogRequestContext,
  ) {
    const { context, in: input } = request;
    return this.slow.handle(request, received, (until) =>
      withinDeadline((signal) => this.list(context, input, signal), until),
    );
  }

  private async list(
    { workspace, organization }: RequestContext,
    { connection: id, limit, cursor }: Query['in'],
    signal: AbortSignal,
  ): Promise<Query['out']> {
    const { store } = this;
    const found = await orUnavailable(existingConnection(store, id, { workspace }));
    const connection = found.connection.id;
    const seals = await orUnavailable(this.dataKeys.of(store.db, workspace));
    const list = { workspace, name: `identities/${connection}` };
    const after = cursor === '' ? undefined : placeOf(seals, list, cursor);
    const page = await this.reads.in({ workspace, organization, seals, signal }, (reader) =>
      reader.identities({ of: { connection }, limit, after }, signal),
    );
    const { identities, next } = shownIdentities(page);
    return { identities, cursor: next === undefined ? '' : cursorAt(seals, list, next) };
  }
}
