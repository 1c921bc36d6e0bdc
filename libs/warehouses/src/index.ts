export {
  type Warehouse,
  WarehouseFault,
  type WarehouseFaultKind,
  type WarehousePlatform,
  type WarehouseSettings,
} from './warehouse';
export { createWarehouses, type Warehouses, type WarehousesOptions } from './warehouses';
