import { profilesOf } from '@penstock/contracts';
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
import { operationRefusal } from './fault-refusal';
import { outcomeOf } from '../command-handling/outcome-of';
import { ProfileChangeEndings } from './profile-change-endings';
import { WarehouseChecks } from './warehouse-checks';
import { withWarehouse } from './with-warehouse';

/** The time for a whole repair, from connecting on. */
const REPAIR_TIMEOUT_MS = 10_000;

/** Creates the missing objects of a warehouse and records their names. */
@Controller()
export class RepairWarehouse {
  constructor(
    private readonly configuration: Configuration,
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
    private readonly endings: ProfileChangeEndings,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('RepairWarehouse')
  handle(@Payload() request: RequestFor<'RepairWarehouse'>, @Ctx() received: LogRequestContext) {
    const { context } = request;
    const { workspace } = context;
    return this.slow.handle(request, received, async () => {
      const repaired = await outcomeOf(async () => {
        await existingWarehouse(this.store, context);
        await this.endings.settle(workspace);
        const { warehouse } = await existingWarehouse(this.store, { workspace });
        const opened = this.checks.open(
          await this.dataKeys.of(this.store.db, warehouse.id),
          warehouse,
        );
        const signal = AbortSignal.timeout(REPAIR_TIMEOUT_MS);
        return withWarehouse({ ...opened, signal, refusalOf: operationRefusal }, (connected) =>
          connected.repair(warehouse.id, profilesOf(warehouse)),
        );
      });
      return this.configuration.execute(context, async (reading) => {
        const made = repaired();
        const own = await existingWarehouse(reading, { workspace });
        const facts = warehouseDecider.decide({ type: 'RecordRepair', made }, own.state);
        return {
          streams: [appendTo(own, facts)],
          reply: {},
          verify: (db) => notDeleted(db, workspace),
        };
      });
    });
  }
}
