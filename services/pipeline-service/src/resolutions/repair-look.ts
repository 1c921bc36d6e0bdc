import { Refusal, type WorkspaceId } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { SealBroken } from '@penstock/runtime';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DataKeys } from '../data-keys/data-keys';
import { existingWarehouse } from '../warehouse/existing-warehouse';
import { operationRefusal } from '../warehouse/fault-refusal';
import { WarehouseChecks } from '../warehouse/warehouse-checks';
import { withWarehouse } from '../warehouse/with-warehouse';

/** The time for a look at the warehouse, from connecting on. */
const LOOK_TIMEOUT_MS = 5_000;

/** Whether a warehouse is being repaired, which only the warehouse itself knows. */
@Injectable()
export class RepairLook {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
  ) {}

  /**
   * A warehouse that does not tell is not being repaired: whoever resolves its identities waits for it.
   *
   * @throws Refusal OperationAlreadyExecuting; InvalidWarehouseSettings where the workspace has no warehouse.
   */
  async refuse(workspace: WorkspaceId, signal: AbortSignal): Promise<void> {
    const { warehouse } = await existingWarehouse(this.store, { workspace });
    // Nothing is started in the other modes, so that nobody looks.
    if (warehouse.mode !== 'Normal') return;
    try {
      const opened = this.checks.open(await this.dataKeys.of(this.store.db, workspace), warehouse);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
      await withWarehouse({ ...opened, signal: limit, refusalOf: operationRefusal }, (connected) =>
        connected.profilesVersion(workspace),
      );
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof SealBroken)) throw error;
      if (error instanceof Refusal && error.code === 'OperationAlreadyExecuting') throw error;
    }
  }
}
