import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import type { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { DataKeys } from '../data-keys/data-keys';
import { warehouseDecider } from '../domain/warehouse.decide';
import { existingWarehouse } from './existing-warehouse';
import { outcomeOf } from './outcome-of';
import { WarehouseChecks } from './warehouse-checks';

/**
 * Changes settings and mode of a warehouse. Nothing runs on warehouses yet, so that a mode has nothing to cancel and
 * nothing prevents it.
 */
@Controller()
export class UpdateWarehouse {
  constructor(
    private readonly configuration: Configuration,
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('UpdateWarehouse')
  handle(@Payload() request: RequestFor<'UpdateWarehouse'>, @Ctx() received: LogRequestContext) {
    const { context } = request;
    const { mode, settings, mcpSettings } = request.in;
    return this.slow.handle(request, received, async () => {
      const checked = await outcomeOf(async () => {
        const { warehouse } = await existingWarehouse(this.store, context);
        const seals = await this.dataKeys.of(this.store.db, warehouse.id);
        return this.checks.update(seals, { settings, mcpSettings }, warehouse);
      });
      return this.configuration.execute(context, async (reading) => {
        const change = { access: checked(), ...(mode !== undefined && { mode }) };
        const own = await existingWarehouse(reading, context);
        const facts = warehouseDecider.decide({ type: 'UpdateWarehouse', ...change }, own.state);
        return {
          streams: [appendTo(own, facts)],
          reply: {},
          verify: (db) => notDeleted(db, context.workspace),
        };
      });
    });
  }
}
