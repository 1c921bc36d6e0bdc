import { profilesOf, type RequestContext } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { newId } from '@penstock/runtime';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { DataKeys } from '../data-keys/data-keys';
import { warehouseDecider } from '../domain/warehouse.decide';
import { refuseWhileResolved, triggerResolution } from '../live-resolutions/live-resolutions';
import { existingWarehouse } from './existing-warehouse';
import { operationRefusal } from './fault-refusal';
import { JoinedWork } from './joined-work';
import { ProfileChangeEndings } from './profile-change-endings';
import { WarehouseChecks } from './warehouse-checks';
import { withWarehouse } from './with-warehouse';

/** The time for connecting. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A bound for the work on a warehouse: indexes and keys of large tables are made. */
const REPAIR_TIMEOUT_MS = 3_600_000;

/** Warehouses that a process repairs at a time, each over a connection of its own. */
const PLACES = 16;

/** Repairs warehouses, one repair of each at a time, and records what they change. */
@Injectable()
export class Repairs implements OnModuleDestroy {
  private readonly repairs = new JoinedWork<void>(PLACES);
  private readonly closing = new AbortController();

  constructor(
    private readonly configuration: Configuration,
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
    private readonly endings: ProfileChangeEndings,
  ) {}

  /**
   * Repairs the warehouse of the workspace, or waits for the repair of it that is under way.
   *
   * @param signal fires when nobody waits for the answer any more. The repair goes on.
   * @throws Refusal
   */
  async repair(context: RequestContext, signal: AbortSignal): Promise<void> {
    await existingWarehouse(this.store, context);
    await this.repairs.join(context.workspace, signal, () => this.perform(context));
  }

  onModuleDestroy(): void {
    this.closing.abort(new Error('the service is closing'));
  }

  private async perform(context: RequestContext): Promise<void> {
    const { workspace } = context;
    await refuseWhileResolved(this.store, workspace);
    await this.endings.settle(workspace);
    const { warehouse } = await existingWarehouse(this.store, { workspace });
    const opened = this.checks.open(await this.dataKeys.of(this.store.db, warehouse.id), warehouse);
    const connecting = new AbortController();
    const timer = setTimeout(() => {
      connecting.abort();
    }, CONNECT_TIMEOUT_MS);
    const limits = [this.closing.signal, connecting.signal, AbortSignal.timeout(REPAIR_TIMEOUT_MS)];
    const connect = { ...opened, signal: AbortSignal.any(limits), refusalOf: operationRefusal };
    let unrecorded: Error | undefined;
    const record = (made: readonly string[]): Promise<void> =>
      this.record(context, made).catch((error: unknown) => {
        throw (unrecorded = error instanceof Error ? error : new Error(String(error)));
      });
    try {
      await withWarehouse(connect, (connected) => {
        clearTimeout(timer);
        return connected.repair(warehouse.id, profilesOf(warehouse), record);
      });
    } catch (error) {
      // The warehouse would take it for a fault of its own.
      throw unrecorded ?? error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * While what was made can still be undone: the next repair would find a healthy warehouse, and have nothing resolved. Under
   * a command id of its own: several requests may be answered by it.
   */
  private async record(
    { workspace, organization, actor, requestId }: RequestContext,
    made: readonly string[],
  ): Promise<void> {
    const context = { commandId: newId(), actor, requestId, workspace, organization };
    await this.configuration.execute(context, async (reading) => {
      const own = await existingWarehouse(reading, { workspace });
      const facts = warehouseDecider.decide({ type: 'RecordRepair', made }, own.state);
      const wanted = { trigger: 'Repair', full: true } as const;
      return {
        streams: [appendTo(own, facts), await triggerResolution(reading, workspace, wanted)],
        reply: {},
        verify: (db) => notDeleted(db, workspace),
      };
    });
  }
}
