import { Refusal } from './refusals';
import type { WarehouseState } from './state';

/**
 * The warehouse of a workspace.
 *
 * @throws Refusal for a workspace without one: the operator has not named one at the first start.
 */
export const existingWarehouse = (state: WarehouseState | null | undefined): WarehouseState => {
  if (state != null) return state;
  const message = 'the workspace has no data warehouse yet: PENSTOCK_WAREHOUSE_URL names it';
  throw new Refusal('InvalidWarehouseSettings', { details: [{ path: '', message }] });
};
