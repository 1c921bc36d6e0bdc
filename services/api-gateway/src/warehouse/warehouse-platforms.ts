import type { WarehousePlatform, Warehouses } from '@penstock/warehouses';

/** The platforms of data warehouses. Abstract class: what it names is injected. */
export abstract class WarehousePlatforms implements Warehouses {
  abstract readonly list: readonly WarehousePlatform[];
  abstract get(name: string): WarehousePlatform | undefined;
}
