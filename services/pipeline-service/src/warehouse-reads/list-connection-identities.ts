import type { ConnectionId, IdentityView, Queries, WorkspaceId } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import type { IdentitiesPage, StoredIdentity } from '@penstock/warehouses';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Handles, type RequestFor } from '../command-handling/handles';
import { existingConnection } from '../connections/existing-connection';
import { DataKeys } from '../data-keys/data-keys';
import { orUnavailable } from '../database/or-unavailable';
import { withinDeadline } from '../deadline/within-deadline';
import { fitting, MAX_SEALED_BYTES } from '../read-model/fitting';
import { cursorAt, placeOf } from './list-cursor';
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
      withinDeadline((signal) => this.list(context.workspace, input, signal), until),
    );
  }

  private async list(
    workspace: WorkspaceId,
    { connection: id, limit, cursor }: Query['in'],
    signal: AbortSignal,
  ): Promise<Query['out']> {
    const { store } = this;
    const found = await orUnavailable(existingConnection(store, id, { workspace }));
    const connection = found.connection.id;
    const seals = await orUnavailable(this.dataKeys.of(store.db, workspace));
    const list = { workspace, name: `identities/${connection}` };
    const after = cursor === '' ? undefined : placeOf(seals, list, cursor);
    const page = await this.reads.in({ workspace, seals, signal }, (reader) =>
      reader.identities({ connection, limit, after }, signal),
    );
    const { identities, next } = shown(page, connection);
    return { identities, cursor: next === undefined ? '' : cursorAt(seals, list, next) };
  }
}

const viewOf = (
  { pipeline, recordId, anonymous, anonymousIds: linked, profile, updatedAt }: StoredIdentity,
  connection: ConnectionId,
): IdentityView => {
  const anonymousIds = anonymous ? [recordId] : linked;
  return {
    ...(!anonymous && { userId: recordId }),
    ...(anonymousIds.length > 0 && { anonymousIds }),
    connection,
    pipeline,
    profile,
    updatedAt,
  };
};

/** As many identities as fit into an answer, and the place of the last one when others follow. */
const shown = (
  { identities, isLast }: IdentitiesPage,
  connection: ConnectionId,
): { readonly identities: readonly IdentityView[]; readonly next: string | undefined } => {
  const views = identities.map((identity) => ({
    place: identity.place,
    view: viewOf(identity, connection),
  }));
  const { items, rest } = fitting(views, ({ view }) => view, MAX_SEALED_BYTES);
  const last = rest === undefined && isLast ? undefined : items.at(-1)?.place;
  return {
    identities: items.map(({ view }) => view),
    next: last,
  };
};
