import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import type { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { outcomeOf } from '../command-handling/outcome-of';
import { Handles, type RequestFor } from '../command-handling/handles';
import { DataKeys } from '../data-keys/data-keys';
import { warehouseDecider } from '../domain/warehouse.decide';
import { existingWarehouse } from './existing-warehouse';
import { ForbiddenChanges } from './forbidden-changes';
import { LateReads } from './late-reads';
import { LateWrites } from './late-writes';
import { cancelledBy, type CancelledOperations, NOTHING, operationsEnded } from './mode-change';
import { WarehouseChecks } from './warehouse-checks';

/**
 * Changes settings and mode of a warehouse, and cancels the operations that the mode forbids where the request says so.
 */
@Controller()
export class UpdateWarehouse {
  constructor(
    private readonly configuration: Configuration,
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
    private readonly late: LateWrites,
    private readonly reads: LateReads,
    private readonly changes: ForbiddenChanges,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('UpdateWarehouse')
  handle(@Payload() request: RequestFor<'UpdateWarehouse'>, @Ctx() received: LogRequestContext) {
    const { context } = request;
    const { mode = 'Normal', settings, mcpSettings, cancelIncompatibleOperations } = request.in;
    const { workspace } = context;
    return this.slow.handle(request, received, async (signal) => {
      const checked = await outcomeOf(async () => {
        const { warehouse } = await existingWarehouse(this.store, context);
        const seals = await this.dataKeys.of(this.store.db, warehouse.id);
        return this.checks.update(seals, { settings, mcpSettings }, warehouse);
      });
      let live: CancelledOperations = NOTHING;
      const recorded = await this.configuration.execute(context, async (reading) => {
        const change = { access: checked(), mode };
        const own = await existingWarehouse(reading, context);
        const cancelled = await cancelledBy(reading, {
          workspace,
          warehouse: own.warehouse,
          mode,
          cancelIncompatibleOperations,
          actor: context.actor,
        });
        ({ live } = cancelled);
        const facts = warehouseDecider.decide({ type: 'UpdateWarehouse', ...change }, own.state);
        return {
          streams: [...cancelled.streams, appendTo(own, facts)],
          reply: { mode: { from: own.warehouse.mode, to: mode } },
          verify: cancelled.verify,
        };
      });
      if (context.isDryRun !== true)
        await Promise.all([
          operationsEnded(this.store.db, live, signal),
          // A change holds up whoever looks at the marker.
          this.changes.end(workspace, signal).then(() => this.late.keepOut(workspace)),
          this.reads.keepOut(workspace),
        ]);
      return recorded;
    });
  }
}
