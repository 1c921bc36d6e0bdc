import { Refusal, type WarehouseState, type WorkspaceId } from '@penstock/contracts';
import type { EventStore } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { orUnavailable } from '../database/or-unavailable';
import { existingWarehouse } from './existing-warehouse';

/**
 * The warehouse of a workspace as it is now, in a mode in which it may be read.
 *
 * @throws Refusal InvalidWarehouseSettings when there is none, MaintenanceMode, ServiceUnavailable
 */
export const readableWarehouse = async (
  store: EventStore<EntityManager>,
  workspace: WorkspaceId,
): Promise<WarehouseState> => {
  const { warehouse } = await orUnavailable(existingWarehouse(store, { workspace }));
  if (warehouse.mode === 'Maintenance') throw new Refusal('MaintenanceMode');
  return warehouse;
};
