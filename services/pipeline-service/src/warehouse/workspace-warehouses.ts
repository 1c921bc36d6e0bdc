import {
  existingWarehouse,
  type NewWarehouse,
  type Nothing,
  type Recorded,
  type RequestContext,
  type WarehouseFact,
  type WarehouseState,
} from '@penstock/contracts';
import { EventStore, type Reading } from '@penstock/event-sourcing';
import type { Seals } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { checkVersion } from '../command-handling/check-version';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load, type Loaded } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import type { RequestFor } from '../command-handling/handles';
import { DataKeys } from '../data-keys/data-keys';
import {
  type Warehouse,
  type WarehouseCommand,
  warehouseDecider,
  warehouseStream,
} from '../domain/warehouse.decide';
import { operationRefusal } from './fault-refusal';
import { outcomeOf } from './outcome-of';
import { WarehouseChecks } from './warehouse-checks';
import { withWarehouse } from './with-warehouse';

/** For a repair as a whole. */
const REPAIR_TIMEOUT_MS = 10_000;

/** What can be done with the warehouses of workspaces. */
@Injectable()
export class WorkspaceWarehouses {
  constructor(
    private readonly configuration: Configuration,
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
  ) {}

  /** Nothing that a mode forbids can be running yet, so that nothing is cancelled and nothing hinders a change. */
  async update({
    context,
    in: { settings, mcpSettings, mode },
  }: RequestFor<'UpdateWarehouse'>): Promise<Recorded<Nothing>> {
    const tried = await outcomeOf(async () => {
      const present = await this.expected(context);
      return this.checks.update(await this.seals(present), { settings, mcpSettings }, present);
    });
    return this.execute(context, () => ({
      type: 'UpdateWarehouse',
      access: tried(),
      ...(mode !== undefined && { mode }),
    }));
  }

  setMode({ context, in: { mode } }: RequestFor<'SetWarehouseMode'>): Promise<Recorded<Nothing>> {
    return this.execute(context, () => ({ type: 'SetWarehouseMode', mode }));
  }

  async repair({ context }: RequestFor<'RepairWarehouse'>): Promise<Recorded<Nothing>> {
    const tried = await outcomeOf(async () => {
      const present = await this.expected(context);
      return this.repaired(present);
    });
    return this.execute(context, () => ({ type: 'RecordRepair', made: tried() }));
  }

  async test({ context, in: asked }: RequestFor<'TestWarehouse'>): Promise<Nothing> {
    const present = await this.expected(context);
    await this.checks.update(await this.seals(present), asked, present);
    return {};
  }

  private async repaired(present: NewWarehouse): Promise<readonly string[]> {
    const opened = this.checks.open(await this.seals(present), present);
    const signal = AbortSignal.timeout(REPAIR_TIMEOUT_MS);
    const connect = { ...opened, signal, refusalOf: operationRefusal };
    return withWarehouse(connect, (warehouse) => warehouse.repair(present.id));
  }

  private seals({ id }: NewWarehouse): Promise<Seals> {
    return this.dataKeys.of(this.store.db, id);
  }

  /** @throws Refusal Conflict, InvalidWarehouseSettings */
  private async expected(context: RequestContext): Promise<WarehouseState> {
    return expectedOf(await loadOf(this.store, context), context);
  }

  /** @param command made when it is decided, so that what it throws is the recorded answer. */
  private execute(
    context: RequestContext,
    command: () => WarehouseCommand,
  ): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const asked = command();
      const own = await loadOf(reading, context);
      expectedOf(own, context);
      return {
        streams: [appendTo(own, warehouseDecider.decide(asked, own.state))],
        reply: {},
        verify: (db) => notDeleted(db, context.workspace),
      };
    });
  }
}

type LoadedWarehouse = Loaded<Warehouse, WarehouseFact>;

const loadOf = (
  store: Pick<Reading<EntityManager>, 'read'>,
  { workspace }: RequestContext,
): Promise<LoadedWarehouse> => load(store, warehouseDecider, warehouseStream(workspace));

/** @throws Refusal Conflict, InvalidWarehouseSettings */
const expectedOf = (own: LoadedWarehouse, context: RequestContext): WarehouseState => {
  const state = existingWarehouse(own.state);
  checkVersion(context, own.version);
  return state;
};
