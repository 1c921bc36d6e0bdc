import type { Refusal } from '@penstock/contracts';
import {
  type Warehouse,
  WarehouseFault,
  type WarehousePlatform,
  type WarehouseSettings,
} from '@penstock/warehouses';

export interface Connect {
  readonly platform: WarehousePlatform;
  readonly settings: WarehouseSettings;
  readonly signal: AbortSignal;
  /** Translates a fault of the warehouse. */
  readonly refusalOf: (fault: WarehouseFault) => Refusal;
}

/**
 * Connects to a warehouse, does the work and closes the connection.
 *
 * @throws Refusal for a fault of the warehouse.
 */
export const withWarehouse = async <T>(
  { platform, settings, signal, refusalOf }: Connect,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T> => {
  try {
    const warehouse = await platform.connect(settings, signal);
    try {
      return await work(warehouse);
    } finally {
      await warehouse.close();
    }
  } catch (error) {
    throw error instanceof WarehouseFault ? refusalOf(error) : error;
  }
};
