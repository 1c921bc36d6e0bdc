import {
  existingWarehouse as existing,
  type RequestContext,
  type WarehouseFact,
  type WarehouseState,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { checkVersion } from '../command-handling/check-version';
import { load, type Loaded } from '../command-handling/decide-on';
import { type Warehouse, warehouseDecider, warehouseStream } from '../domain/warehouse.decide';

export type ExistingWarehouse = Loaded<Warehouse, WarehouseFact> & {
  readonly warehouse: WarehouseState;
};

/**
 * Loads the warehouse of the request's workspace and checks the version that the caller expects.
 *
 * @throws Refusal InvalidWarehouseSettings when the workspace has no warehouse; Conflict.
 */
export const existingWarehouse = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  context: Pick<RequestContext, 'workspace' | 'expectedVersion'>,
): Promise<ExistingWarehouse> => {
  const own = await load(reading, warehouseDecider, warehouseStream(context.workspace));
  const warehouse = existing(own.state);
  checkVersion(context, own.version);
  return { ...own, warehouse };
};
