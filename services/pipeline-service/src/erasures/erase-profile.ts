import { type ErasureId, instant, profilesOf, type RequestContext } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { newId } from '@penstock/runtime';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { outcomeOf } from '../command-handling/outcome-of';
import { DataKeys } from '../data-keys/data-keys';
import { orUnavailable } from '../database/or-unavailable';
import { erasureDecider, erasureStream, liveErasureOf } from '../domain/erasure.decide';
import { existingWarehouse } from '../warehouse/existing-warehouse';
import { survivorOf } from '../warehouse-reads/survivor';
import { WarehouseReads } from '../warehouse-reads/warehouse-reads';

/** Records that a person is to be erased. An executor does it as soon as the warehouse may be written. */
@Controller()
export class EraseProfile {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly configuration: Configuration,
    private readonly dataKeys: DataKeys,
    private readonly reads: WarehouseReads,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('EraseProfile')
  handle(@Payload() request: RequestFor<'EraseProfile'>, @Ctx() received: LogRequestContext) {
    const { context, in: input } = request;
    const { workspace, actor } = context;
    return this.slow.handle(request, received, async (signal) => {
      const survivor = await outcomeOf(() => this.survivor(context, input.profile, signal));
      return this.configuration.execute(context, async (reading) => {
        const profile = survivor();
        const own = await load(reading, erasureDecider, erasureStream(workspace));
        const erasure = liveErasureOf(own.state, profile)?.erasure ?? (newId() as ErasureId);
        const requested = { erasure, profile, requestedAt: instant(new Date()), actor };
        const facts = erasureDecider.decide(
          { type: 'Request', id: workspace, requested },
          own.state,
        );
        return {
          streams: [appendTo(own, facts)],
          reply: { id: erasure },
          verify: (db) => notDeleted(db, workspace),
        };
      });
    });
  }

  /** The profile that the one of the request is by now. @throws Refusal */
  private async survivor(
    { workspace, organization }: RequestContext,
    profile: string,
    signal: AbortSignal,
  ): Promise<string> {
    const { warehouse } = await orUnavailable(existingWarehouse(this.store, { workspace }));
    const seals = await orUnavailable(this.dataKeys.of(this.store.db, workspace));
    return this.reads.in({ workspace, organization, seals, signal }, (reader) =>
      survivorOf(reader, profilesOf(warehouse), profile, signal),
    );
  }
}
