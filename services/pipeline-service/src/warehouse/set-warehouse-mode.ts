import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { warehouseDecider } from '../domain/warehouse.decide';
import { existingWarehouse } from './existing-warehouse';
import { ForbiddenChanges } from './forbidden-changes';
import { LateReads } from './late-reads';
import { LateWrites } from './late-writes';
import { cancelledBy, type CancelledOperations, NOTHING, operationsEnded } from './mode-change';

/** Sets the mode of a warehouse, and cancels the operations that it forbids where the request says so. */
@Controller()
export class SetWarehouseMode {
  constructor(
    private readonly configuration: Configuration,
    private readonly db: EntityManager,
    private readonly late: LateWrites,
    private readonly reads: LateReads,
    private readonly changes: ForbiddenChanges,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('SetWarehouseMode')
  handle(@Payload() request: RequestFor<'SetWarehouseMode'>, @Ctx() received: LogRequestContext) {
    const { context } = request;
    const { mode = 'Normal', cancelIncompatibleOperations } = request.in;
    const { workspace } = context;
    return this.slow.handle(request, received, async (signal) => {
      let live: CancelledOperations = NOTHING;
      const recorded = await this.configuration.execute(context, async (reading) => {
        const own = await existingWarehouse(reading, context);
        const { warehouse } = own;
        const cancelled = await cancelledBy(reading, {
          workspace,
          warehouse,
          mode,
          cancelIncompatibleOperations,
          actor: context.actor,
        });
        ({ live } = cancelled);
        const command = { type: 'SetWarehouseMode', mode } as const;
        const facts = warehouseDecider.decide(command, own.state);
        return {
          streams: [...cancelled.streams, appendTo(own, facts)],
          reply: { mode: { from: warehouse.mode, to: mode } },
          verify: cancelled.verify,
        };
      });
      if (context.isDryRun !== true)
        await Promise.all([
          operationsEnded(this.db, live, signal),
          // A change holds up whoever looks at the marker.
          this.changes.end(workspace, signal).then(() => this.late.keepOut(workspace)),
          this.reads.keepOut(workspace),
        ]);
      return recorded;
    });
  }
}
