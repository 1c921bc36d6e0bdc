import type { Nothing } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import type { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { DataKeys } from '../data-keys/data-keys';
import { existingWarehouse } from './existing-warehouse';
import { WarehouseChecks } from './warehouse-checks';

/** Checks settings for a warehouse as an update would, and changes nothing. */
@Controller()
export class TestWarehouse {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('TestWarehouse')
  handle(@Payload() request: RequestFor<'TestWarehouse'>, @Ctx() received: LogRequestContext) {
    const { context, in: access } = request;
    return this.slow.handle(request, received, async (): Promise<Nothing> => {
      const { warehouse } = await existingWarehouse(this.store, context);
      const seals = await this.dataKeys.of(this.store.db, warehouse.id);
      await this.checks.update(seals, access, warehouse);
      return {};
    });
  }
}
